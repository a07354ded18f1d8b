import AccessControl
import HTTPServing

// The endpoints about runs.

extension Endpoint {
    static let runs = [
        Endpoint(
            method: .get, template: "/v1/runs", id: "listRuns", right: .read,
            summary: "List the runs of agents, the one with the newest edit first.",
            query: [
                prefix, parameter("below", "Name", "Limits the result to runs of this actor."),
                parameter(
                    "promptBy", "Name", "Limits the result to runs that this actor requested."),
                parameter(
                    "effect", "RunEffect", "Limits the result by how much of a run is in effect."),
                parameter("open", "Flag", "Limits the result to runs that are open, or are not."),
            ] + ChangeFilter.parametersOfMany.filter { ["since", "until", "q"].contains($0.name) }
                + [cursor("Revision"), limit],
            response: .list("Runs"), problems: [.indexing],
            handler: .daemon(DocumentsAPI.runs)),
        Endpoint(
            method: .get, template: "/v1/runs/{run}", id: "readRun", right: .read,
            summary: "Return the documents of a run and the effect of an undo in each.",
            query: [prefix, cursor("Prefix"), limit(default: DocumentsAPI.runDocumentsMax)],
            response: .list("Run"), problems: [.unknownRun, .indexing],
            handler: .part(DocumentsAPI.run)),
        Endpoint(
            method: .put, template: "/v1/runs/{run}", id: "openRun", right: .propose,
            summary: "Open a run, or keep it open.",
            query: [
                label,
                parameter(
                    "ttl", "Duration",
                    "The time after which the run ends without an edit: 1s to 1d. Default 10m."),
            ],
            response: .schema("OpenRun"), problems: [.tooManyOpenRuns, .overtaken, .indexing],
            handler: .part(DocumentsAPI.openRun)),
        Endpoint(
            method: .post, template: "/v1/runs/{run}/close", id: "closeRun", right: .propose,
            summary: "Close a run.", query: [label], response: .schema("OpenRun"),
            handler: .part(DocumentsAPI.closeRun)),
    ]
}
