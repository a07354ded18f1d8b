#!/usr/bin/env python3
"""Clients that others' tools make of /openapi.json can send every call: each is built, and sent; what
the daemon says to it is its own.

Usage: Tests/CommandLine/generated.py URL, with versiond_client (openapi-python-client) and aiopenapi3.
"""

import importlib
import inspect
import pkgutil
import sys
import typing

import aiopenapi3
import httpx
import versiond_client.api.default as calls
import versiond_client.models as models
from versiond_client.types import Unset

URL = sys.argv[1]
#: They end only when the client does, or are what is being read.
ENDLESS = {"followDocument", "followDocuments", "exportChanges"}
PATH = {"client": "abcdefgh", "revision": 0}


def body_of(kind):
    """A body as a caller would make one: an empty command, or any value."""
    for made in typing.get_args(kind) or [kind]:
        if not inspect.isclass(made) or made.__module__.split(".")[0] != "versiond_client" or made is Unset:
            continue
        try:
            return made()
        except TypeError:
            return made.from_dict({"changes": [], "from": "0", "to": "0", "paths": [], "name": "x",
                                   "document": "x", "all": {}, "jsonrpc": "2.0", "prefix": "x"})
    return {"a": 1}


def built():
    """Each call of the first client can be made from its parameters."""
    count = 0
    for module in pkgutil.iter_modules(calls.__path__):
        make = importlib.import_module(f"versiond_client.api.default.{module.name}")._get_kwargs
        arguments = {}
        for name, parameter in inspect.signature(make).parameters.items():
            if name == "body":
                arguments[name] = body_of(parameter.annotation)
            elif parameter.default is inspect.Parameter.empty:
                arguments[name] = PATH.get(name, "x")
        if module.name == "patch_document":
            arguments["body"] = models.Edit(merge={"a": 2})
        made = make(**arguments)
        assert made["method"] and made["url"].startswith("/"), made
        if "body" in arguments and not isinstance(arguments["body"], Unset):
            assert "json" in made, (module.name, made)
        count += 1
    return count


def sent():
    """Each call of the second client: it has an answer, whatever the answer is."""
    api = aiopenapi3.OpenAPI.load_sync(f"{URL}/openapi.json")
    document = httpx.get(f"{URL}/openapi.json").json()
    count = 0
    for path, methods in document["paths"].items():
        for call in (one for one in methods.values() if "operationId" in one):
            name = call["operationId"]
            if name in ENDLESS:
                continue
            values = {
                one["name"]: PATH.get(one["name"], "x" if one["in"] == "path" else "head")
                for one in methods.get("parameters", []) + call.get("parameters", [])
                if one["in"] == "path" or one.get("required")}
            data = {"merge": {"a": 2}} if name == "patchDocument" else {"a": 1}
            if not call.get("requestBody", {}).get("required", True):
                # A command that may be left out; this client sends an empty one.
                data = {}
            try:
                getattr(api._, name)(parameters=values, data=data if "requestBody" in call else None)
            except (NotImplementedError, AssertionError, TypeError, KeyError) as error:
                raise SystemExit(f"{name} ({path}) cannot be sent: {error!r}") from error
            except (aiopenapi3.errors.HTTPClientError, aiopenapi3.errors.HTTPServerError):
                # A refusal that was read.
                pass
            count += 1
    made = api._.putDocument(parameters={"document": "generated"}, data={"a": 1})
    assert made.revision == 0, made
    made = api._.patchDocument(parameters={"document": "generated"}, data={"merge": {"a": 2}})
    assert made.revision == 1, made
    undone = api._.undo(parameters={"document": "generated"}, data={})
    assert undone.revision == 2, undone
    return count


print(f"{built()} calls can be made by openapi-python-client, {sent()} were sent by aiopenapi3")
