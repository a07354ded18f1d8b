/// The worked cases of drafts: what people see, step by step.
///
/// A start; then steps: `m:` an edit of the origin by bob, `d:` one of the draft by ada, in the
/// notation of `UndoCase`; `mU dU` shared undo; `du` ada's own undo in the draft, `du1` of change 1;
/// `mu` cyd's own undo in the origin; `merge` and `update`, by cyd, where `draft` or `origin` gives the
/// conflict to one side, and a place is a part. `=>` the origin then, and behind ` | ` the draft;
/// `!conflict` with its places is a refusal. `n` are the numbers of net edits ahead and behind.
extension DraftCase {
    public static let all: [DraftCase] = [
        DraftCase(
            1, #"fast forward"#,
            #"{"a":1,"b":1}"#,
            #"d:/a=2; d:/b=3; merge => {"a":2,"b":3} | {"a":2,"b":3}"#),
        DraftCase(
            2, #"merge is one step"#,
            #"{"a":1,"b":1}"#,
            #"d:/a=2; d:/b=3; merge; mU => {"a":1,"b":1} | {"a":2,"b":3}"#),
        DraftCase(
            3, #"disjoint"#,
            #"{"a":1,"b":1}"#,
            #"d:/a=2; m:/b=9; merge => {"a":2,"b":9} | {"a":2,"b":1}; update => {"a":2,"b":9} | {"a":2,"b":9}"#
        ),
        DraftCase(
            4, #"update, merge = merge"#,
            #"{"a":1,"b":1}"#,
            #"d:/a=2; m:/b=9; update => {"a":1,"b":9} | {"a":2,"b":9}; merge => {"a":2,"b":9} | {"a":2,"b":9}"#
        ),
        DraftCase(
            5, #"set/set"#,
            #"{"a":1,"b":1}"#,
            #"d:/a=2; m:/a=3; merge => !conflict ["/a"]; merge draft => {"a":2,"b":1}; mU => {"a":3,"b":1}"#
        ),
        DraftCase(
            6, #"set/set, origin wins"#,
            #"{"a":1,"b":1}"#,
            #"d:/a=2 + /b=5; m:/a=3; merge origin => {"a":3,"b":5} | {"a":2,"b":5}; update => {"a":3,"b":5} | {"a":3,"b":5}"#
        ),
        DraftCase(
            7, #"undone in the draft is no edit"#,
            #"{"a":1,"b":1}"#,
            #"d:/a=2; dU; m:/a=3; merge => {"a":3,"b":1} | {"a":1,"b":1}; update => {"a":3,"b":1} | {"a":3,"b":1}"#
        ),
        DraftCase(
            8, #"set and set back is no edit"#,
            #"{"a":1,"b":1}"#,
            #"d:/a=2; d:/a=1; m:/a=3; merge => {"a":3,"b":1}"#),
        DraftCase(
            9, #"undone in the origin is no news"#,
            #"{"a":1,"b":1}"#,
            #"m:/a=3; mU; d:/a=2; merge => {"a":2,"b":1}"#),
        DraftCase(
            10, #"resolved by update stays resolved"#,
            #"{"a":1,"b":1}"#,
            #"d:/a=2; m:/a=3; update draft => {"a":3,"b":1} | {"a":2,"b":1}; merge => {"a":2,"b":1} | {"a":2,"b":1}; mU => {"a":3,"b":1}"#
        ),
        DraftCase(
            11, #"conflict again after new news"#,
            #"{"a":1,"b":1}"#,
            #"d:/a=2; m:/a=3; update draft; m:/a=4; merge => !conflict ["/a"]"#),
        DraftCase(
            12, #"insertions at one place: the draft's first, both ways"#,
            #"{"l":[0]}"#,
            #"d:+/l/1="D"; m:+/l/1="M"; merge => {"l":[0,"D","M"]}; update => {"l":[0,"D","M"]} | {"l":[0,"D","M"]}"#
        ),
        DraftCase(
            13, #"the same by update first"#,
            #"{"l":[0]}"#,
            #"d:+/l/1="D"; m:+/l/1="M"; update => {"l":[0,"M"]} | {"l":[0,"D","M"]}; merge => {"l":[0,"D","M"]}"#
        ),
        DraftCase(
            14, #"move and edit inside"#,
            #"{"l":[{"id":1,"v":1},{"id":2,"v":2}]}"#,
            #"d:/l/0>/l/1; m:/l/0/v=9; merge => {"l":[{"id":2,"v":2},{"id":1,"v":9}]}"#),
        DraftCase(
            15, #"removed, edited inside"#,
            #"{"l":[{"id":1,"v":1},{"id":2,"v":2}]}"#,
            #"d:-/l/0; m:/l/0/v=9; merge => !conflict ["/l/0"]; merge draft => {"l":[{"id":2,"v":2}]}; mU => {"l":[{"id":1,"v":9},{"id":2,"v":2}]}"#
        ),
        DraftCase(
            16, #"removed, edited inside, origin wins"#,
            #"{"l":[{"id":1,"v":1},{"id":2,"v":2}]}"#,
            #"d:-/l/0; m:/l/0/v=9; merge origin => {"l":[{"id":1,"v":9},{"id":2,"v":2}]} | {"l":[{"id":2,"v":2}]}; update => {"l":[{"id":1,"v":9},{"id":2,"v":2}]} | {"l":[{"id":1,"v":9},{"id":2,"v":2}]}"#
        ),
        DraftCase(
            17, #"text"#,
            #"{"t":"hot soup and bread"}"#,
            #"d:/t@4"onion "; m:/t@18" for all"; merge => {"t":"hot onion soup and bread for all"}; mU => {"t":"hot soup and bread for all"}"#
        ),
        DraftCase(
            18, #"text inside deleted text"#,
            #"{"t":"hot soup and bread"}"#,
            #"d:/t@8-10; m:/t@13"dark "; merge => {"t":"hot soupdark "}; mU => {"t":"hot soup and dark bread"}"#
        ),
        DraftCase(
            19, #"a part by place"#,
            #"{"a":1,"b":1}"#,
            #"d:/a=2; d:/b=3; merge /a => {"a":2,"b":1} | {"a":2,"b":3}; n => n/1/0; merge => {"a":2,"b":3}"#
        ),
        DraftCase(
            20, #"a part, news between"#,
            #"{"a":1,"b":1}"#,
            #"d:/a=2; d:/b=3; merge /a; m:/b=7; merge => !conflict ["/b"]; merge draft => {"a":2,"b":3}"#
        ),
        DraftCase(
            21, #"a part; what is in it, undone in the draft, is proposed back"#,
            #"{"a":1,"b":1}"#,
            #"d:/a=2; d:/b=3; merge /a; du1 => {"a":2,"b":1} | {"a":1,"b":3}; merge => {"a":1,"b":3}"#
        ),
        DraftCase(
            22, #"a part does not wait for conflicts elsewhere"#,
            #"{"a":1,"b":1}"#,
            #"d:/a=2 + /b=3; m:/b=7; merge => !conflict ["/b"]; merge /a => {"a":2,"b":7} | {"a":2,"b":3}; update => !conflict ["/b"]"#
        ),
        DraftCase(
            23, #"merge undone in the origin: merge again"#,
            #"{"a":1,"b":1}"#,
            #"d:/a=2; merge; mU => {"a":1,"b":1}; merge => {"a":2,"b":1}"#),
        DraftCase(
            24, #"merge undone in the origin: update keeps the work"#,
            #"{"a":1,"b":1}"#,
            #"d:/a=2; merge; mU; m:/b=5; update => {"a":1,"b":5} | {"a":2,"b":5}; merge => {"a":2,"b":5}"#
        ),
        DraftCase(
            25, #"own undo of the merge past later edits"#,
            #"{"a":1,"b":1}"#,
            #"d:/a=2 + +/c=1; merge; m:/b=5; mu cyd => {"a":1,"b":5}"#),
        DraftCase(
            26, #"merge, edit of what was merged, own undo of the merge: passed"#,
            #"{"a":1,"b":1}"#,
            #"d:/a=2; merge; m:/a=8; mu cyd => {"a":8,"b":1}"#),
        DraftCase(
            27, #"new element, edited in the origin after the merge"#,
            #"{"l":[]}"#,
            #"d:+/l/0={"v":1}; merge; m:/l/0/v=2; mu cyd => !conflict"#),
        DraftCase(
            28, #"update undone: the former base"#,
            #"{"a":1,"b":1}"#,
            #"d:/a=2; m:/b=9; update => {"a":1,"b":9} | {"a":2,"b":9}; dU => {"a":1,"b":9} | {"a":2,"b":1}; merge => {"a":2,"b":9}"#
        ),
        DraftCase(
            29, #"own undo: the update was the last version of ada"#,
            #"{"a":1,"b":1}"#,
            #"d:/a=2; m:/b=9; update; du => {"a":1,"b":9} | {"a":2,"b":1}"#),
        DraftCase(
            30, #"own undo by revision past an update"#,
            #"{"a":1,"b":1}"#,
            #"d:/a=2; m:/b=9; update; du1 => {"a":1,"b":9} | {"a":1,"b":9}; merge => {"a":1,"b":9}"#
        ),
        DraftCase(
            31, #"insertion merged once, though both go on"#,
            #"{"l":[]}"#,
            #"d:+/l/0=1; merge; m:+/l/1=2; d:+/l/0=0; merge => {"l":[0,1,2]} | {"l":[0,1]}; update => {"l":[0,1,2]} | {"l":[0,1,2]}"#
        ),
        DraftCase(
            32, #"criss-cross: merge, then update, then both edit one place"#,
            #"{"a":1,"b":1}"#,
            #"d:/a=2; m:/b=3; merge; update => {"a":2,"b":3} | {"a":2,"b":3}; d:/a=5; m:/a=6; merge => !conflict ["/a"]; merge draft => {"a":5,"b":3}"#
        ),
        DraftCase(
            33, #"draft wins over removal"#,
            #"{"a":1,"b":1}"#,
            #"d:/a=2; m:-/a; merge => !conflict ["/a"]; merge draft => {"a":2,"b":1}"#),
        DraftCase(
            34, #"move, move"#,
            #"[1,2,3]"#,
            #"d:/0>/2; m:/0>/1; merge => !conflict ["/0"]; merge draft => [2,3,1]"#),
    ]
}
