"""The JSON Schema of the settings section `security`."""

from __future__ import annotations

from typing import Any

SECURITY_SCHEMA: dict[str, Any] = {
    "type": "object",
    "description": "Rules for network requests.",
    "x-shared": True,
    "additionalProperties": True,
    "properties": {
        "allow_private_urls": {
            "type": "boolean",
            "default": False,
            "x-env": "HERMES_ALLOW_PRIVATE_URLS",
            "description": "Allow private networks and this machine. Metadata services are never allowed.",
        },
        "website_blocklist": {
            "type": "object",
            "description": "Websites that are never fetched.",
            "properties": {
                "enabled": {"type": "boolean", "default": False, "description": "Enable the block list."},
                "domains": {
                    "type": "array",
                    "items": {"type": "string"},
                    "default": [],
                    "examples": [["example.org", "*.example.net"]],
                    "description": "Domains with their subdomains; with *. only the subdomains.",
                },
                "shared_files": {
                    "type": "array",
                    "items": {"type": "string"},
                    "default": [],
                    "examples": [["blocked.txt"]],
                    "description": "Files with more domains, one per line; if one is unreadable, nothing is fetched.",
                },
            },
        },
        "proxy_targets": {
            "enum": ["address", "name"],
            "default": "address",
            "description": "What a proxy connects to: the checked address, or the name, for proxies that filter "
            "by name. Such a proxy resolves the name itself.",
        },
    },
}
