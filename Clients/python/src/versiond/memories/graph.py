"""A graph of entities and relations in a document, for agents of several programs at once."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, TypeVar

from typing_extensions import TypedDict

from .._errors import Gone, NotFound, PreconditionFailed
from .._sync.document import Document

_RETRIES = 50

Made = TypeVar("Made")


class Entity(TypedDict):
    """A person, a thing or an event, with facts about it."""

    name: str
    entityType: str
    observations: list[str]


# `from` is a keyword in Python.
Relation = TypedDict("Relation", {"from": str, "to": str, "relationType": str})
Relation.__doc__ = "A relation in active voice: Ada knows Bob."


class Graph(TypedDict):
    """Entities, and relations between them."""

    entities: list[Entity]
    relations: list[Relation]


class Observations(TypedDict):
    """Facts about an entity, to add."""

    entityName: str
    contents: list[str]


class AddedObservations(TypedDict):
    """The facts that were new."""

    entityName: str
    addedObservations: list[str]


class Deletion(TypedDict):
    """Facts about an entity, to remove."""

    entityName: str
    observations: list[str]


class MemoryGraph:
    """The calls of the reference memory server.

    Entities and relations are members by their names, so concurrent edits are merged.
    """

    def __init__(self, document: Document) -> None:
        self._document = document

    # MARK: Reading

    def read(self) -> Graph:
        value = self._value()
        return {"entities": [_entity(name, value) for name in value["entities"]],
                "relations": list(value["relations"].values())}

    def search(self, query: str) -> Graph:
        """The entities with the text in their names, types or observations."""
        text = query.lower()
        return self._part(lambda entity: any(
            text in words.lower()
            for words in [entity["name"], entity["entityType"], *entity["observations"]]))

    def open(self, names: list[str]) -> Graph:
        return self._part(lambda entity: entity["name"] in names)

    def _part(self, is_wanted: Callable[[Entity], bool]) -> Graph:
        """Some entities, and the relations that begin or end at one of them."""
        graph = self.read()
        entities = [entity for entity in graph["entities"] if is_wanted(entity)]
        names = {entity["name"] for entity in entities}
        relations = [one for one in graph["relations"] if {one["from"], one["to"]} & names]
        return {"entities": entities, "relations": relations}

    def _value(self) -> Any:
        try:
            return self._document.get()
        except (NotFound, Gone):
            return {"entities": {}, "relations": {}}

    # MARK: Adding

    def create_entities(self, entities: list[Entity]) -> list[Entity]:
        """Adds the entities whose names are new, and returns these."""
        def change(value: Any) -> list[Entity]:
            made: list[Entity] = []
            for one in entities:
                if one["name"] not in value["entities"]:
                    value["entities"][one["name"]] = {
                        "entityType": one["entityType"], "observations": one["observations"]}
                    made.append(one)
            return made

        return self._edit(change)

    def create_relations(self, relations: list[Relation]) -> list[Relation]:
        """Adds the relations that are new, and returns these."""
        def change(value: Any) -> list[Relation]:
            for one in relations:
                _require(value, one["from"])
                _require(value, one["to"])
            known = value["relations"]
            made = {_key(one): one for one in relations if _key(one) not in known}
            known.update(made)
            return list(made.values())

        return self._edit(change)

    def add_observations(self, observations: list[Observations]) -> list[AddedObservations]:
        def change(value: Any) -> list[AddedObservations]:
            made: list[AddedObservations] = []
            for one in observations:
                name = one["entityName"]
                _require(value, name)
                known = value["entities"][name]["observations"]
                new = [text for text in dict.fromkeys(one["contents"]) if text not in known]
                known.extend(new)
                made.append({"entityName": name, "addedObservations": new})
            return made

        return self._edit(change)

    # MARK: Deleting

    def delete_entities(self, names: list[str]) -> int:
        """Deletes entities with their relations, and returns the number of entities."""
        def change(value: Any) -> int:
            found = [name for name in names if value["entities"].pop(name, None) is not None]
            for key, one in list(value["relations"].items()):
                if one["from"] in names or one["to"] in names:
                    del value["relations"][key]
            return len(found)

        return self._edit(change)

    def delete_observations(self, deletions: list[Deletion]) -> int:
        def change(value: Any) -> int:
            count = 0
            for one in deletions:
                entity = value["entities"].get(one["entityName"], {"observations": []})
                known = entity["observations"]
                entity["observations"] = [text for text in known if text not in one["observations"]]
                count += len(set(known)) - len(set(entity["observations"]))
            return count

        return self._edit(change)

    def delete_relations(self, relations: list[Relation]) -> int:
        def change(value: Any) -> int:
            found = [one for one in relations if value["relations"].pop(_key(one), None)]
            return len(found)

        return self._edit(change)

    def _edit(self, change: Callable[[Any], Made]) -> Made:
        """Edits the document, and returns what the change of the stored edit returned."""
        made: list[Made] = []

        def edit(value: Any) -> None:
            made.append(change(value))

        try:
            self._document.edit(edit, retries=_RETRIES)
        except (NotFound, Gone):
            # Empty: the undo of an actor who adds the first entity keeps those of others.
            try:
                self._document.create({"entities": {}, "relations": {}})
            except PreconditionFailed:
                pass
            self._document.edit(edit, retries=_RETRIES)
        return made[-1]


def _require(value: Any, name: str) -> None:
    if name not in value["entities"]:
        raise ValueError(f"Entity with name {name} not found")


def _entity(name: str, value: Any) -> Entity:
    entity = value["entities"][name]
    # Writers that added the same text at the same time added it twice.
    texts = list(dict.fromkeys(entity["observations"]))
    return {"name": name, "entityType": entity["entityType"], "observations": texts}


def _key(relation: Relation) -> str:
    parts = [relation["from"], relation["relationType"], relation["to"]]
    return json.dumps(parts, ensure_ascii=False)
