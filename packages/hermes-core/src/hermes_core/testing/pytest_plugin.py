"""The fixtures of the test kit, for test runs that do not load installed pytest plugins by themselves.

An installed `hermes-core` announces them to pytest through the module `_hermes_pytest`, which lies outside of the
package so that a test run that uses none of them does not import the package. Where such plugins are switched off, say
`pytest_plugins = ["hermes_core.testing.pytest_plugin"]`.
"""

from _hermes_pytest import approver, fake_clock, hermes, hermes_home, hermes_host, hermes_kit

__all__ = ["approver", "fake_clock", "hermes", "hermes_home", "hermes_host", "hermes_kit"]
