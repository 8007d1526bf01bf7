"""The public names of `hermes_net`, and its errors."""

from __future__ import annotations

import pickle

import pytest

import hermes_net as net
from hermes_net import NetError, NetSettingsError, ResponseLimitError, UrlRefusedError, check_url


def test_every_name_of_the_front_door_can_be_had() -> None:
    assert len(set(net.__all__)) == len(net.__all__)
    assert all(getattr(net, name) is not None for name in net.__all__)
    assert set(net.__all__) <= set(dir(net))
    with pytest.raises(AttributeError):
        net.__getattr__("nothing")


@pytest.mark.parametrize(
    "error",
    [
        UrlRefusedError(check_url("http://127.0.0.1/")),
        ResponseLimitError("bytes", "The body is too large."),
        NetSettingsError("is not a section.", "security", "{}"),
        NetError("It failed."),
    ],
    ids=["url", "response", "settings", "base"],
)
def test_an_error_survives_the_way_to_another_process(error: NetError) -> None:
    copy = pickle.loads(pickle.dumps(error))
    assert (type(copy), str(copy), copy.__dict__) == (type(error), str(error), error.__dict__)
