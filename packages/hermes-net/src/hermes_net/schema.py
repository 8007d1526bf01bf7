"""The JSON Schema of the settings about what may be fetched."""

from __future__ import annotations

from typing import Any

SECURITY_SCHEMA: dict[str, Any] = {
    "type": "object",
    "description": "What may be fetched from the network.",
    "x-shared": True,
    "additionalProperties": True,
    "properties": {
        "allow_private_urls": {
            "type": "boolean",
            "default": False,
            "x-env": "HERMES_ALLOW_PRIVATE_URLS",
            "description": "Whether private networks and this machine may be reached. Metadata services never are.",
        },
        "website_blocklist": {
            "type": "object",
            "description": "Websites that are never fetched.",
            "properties": {
                "enabled": {"type": "boolean", "default": False, "description": "Whether the list is in force."},
                "domains": {
                    "type": "array",
                    "items": {"type": "string"},
                    "default": [],
                    "examples": [["example.org", "*.example.net"]],
                    "description": "Domains, each with all below it; with *. only those below it.",
                },
                "shared_files": {
                    "type": "array",
                    "items": {"type": "string"},
                    "default": [],
                    "examples": [["blocked.txt"]],
                    "description": "Files with more domains, one a line. While one cannot be read, nothing is fetched.",
                },
            },
        },
        "proxy_targets": {
            "enum": ["address", "name"],
            "default": "address",
            "description": "What a proxy is told to connect to: the address that was checked, or the name, "
            "for proxies that choose by names. Such a proxy looks the name up itself.",
        },
    },
}
