/// The worked cases of own undo: what people see, step by step.
///
/// A start, then steps: `a:` an edit by ada (b bob, c cyd, e eve), `a&` the same in ada's last own
/// version, `a<7:` one that was made on revision 7 and wins, ` + ` several edits in one patch;
/// `/p=V` set or replace, `+/p=V` add, `-/p` remove,
/// `/p>/q` move, `/p@3"s"` insert text, `/p@3-2` delete two characters; `u a`, `r a` own undo and
/// redo; `u #3` by revision; `U R G2` shared undo, redo, goto; `D a 1,3` discards ada's changes. `=>`
/// is the value after, `!code [places] [revisions]` a refusal, `~[2]` what was passed. Revisions
/// count every accepted step.
extension UndoCase {
    public static let all: [UndoCase] = [
        UndoCase(
            1, #"B1 own older edit"#,
            #"{"x":0,"y":0}"#,
            #"a:/x=1 ; a:/x=2 ; b:/y=1 ; u a => {"x":1,"y":1} ; u a => {"x":0,"y":1} ; u a !nothing-to-undo ; r a => {"x":1,"y":1} ; r a => {"x":2,"y":1} ; r a !nothing-to-redo"#
        ),
        UndoCase(
            2, #"B1 over an undone edit of another"#,
            #"{"x":0,"y":0}"#,
            #"a:/x=1 ; b:/x=2 ; c:/y=5 ; u b => {"x":1,"y":5} ; u a => {"x":0,"y":5}"#),
        UndoCase(
            3, #"B1 redo past another's edit"#,
            #"{"x":0,"y":0}"#,
            #"a:/x=1 ; a:/x=2 ; u a ; u a => {"x":0,"y":0} ; b:/y=7 ; r a => {"x":1,"y":7} ; r a => {"x":2,"y":7}"#
        ),
        UndoCase(
            4, #"B1 text typed, deleted, both undone"#,
            #"{"t":"mn"}"#,
            #"a:/t@1"A" ; a:/t@1-1 ; b:/t@2"!" => {"t":"mn!"} ; u a => {"t":"mAn!"} ; u a => {"t":"mn!"}"#
        ),
        UndoCase(
            5, #"B1 by revision"#,
            #"{"x":0,"y":0}"#,
            #"a:/x=1 ; a:/x=2 ; b:/y=1 ; u #2 => {"x":1,"y":1} ; u #1 => {"x":0,"y":1} ; r #2 => {"x":2,"y":1} ; r #1 => {"x":2,"y":1} ~[1]"#
        ),
        UndoCase(
            6, #"B2 overwritten edit is passed"#,
            #"{"a":0,"x":0}"#,
            #"a:/a=1 ; a:/x=1 ; b:/x=0 ; u a => {"a":0,"x":0} ~[2] ; r a => {"a":1,"x":0} ; u b => {"a":1,"x":1}"#
        ),
        UndoCase(
            7, #"B2 removed element is passed"#,
            #"{"a":0,"l":[1]}"#,
            #"a:/a=1 ; a:+/l/1=2 ; b:-/l/1 ; u a => {"a":0,"l":[1]} ~[2] ; u b => {"a":0,"l":[1]} ~[3]"#
        ),
        UndoCase(
            8, #"B2 deleted text is passed"#,
            #"{"a":0,"t":"xy"}"#,
            #"a:/a=1 ; a:/t@1"Q" ; b:/t@1-1 ; u a => {"a":0,"t":"xy"} ~[2]"#),
        UndoCase(
            9, #"only passed ones left"#,
            #"{"x":0}"#,
            #"a:/x=1 ; b:/x=2 ; u a => {"x":2} ~[1] ; u a !nothing-to-undo ; u b => {"x":0} ; r a => {"x":1} ; r b => {"x":2}"#
        ),
        UndoCase(
            10, #"B3 groups among others"#,
            #"{"a":"","b":""}"#,
            #"a:/a@0"h" ; b:/b@0"x" ; a&/a@1"e" ; b&/b@1"y" ; a&/a@2"y" ; u a => {"a":"","b":"xy"} ; u b => {"a":"","b":""} ; r a => {"a":"hey","b":""}"#
        ),
        UndoCase(
            11, #"B3 a new group"#,
            #"{"a":""}"#,
            #"a:/a@0"h" ; a&/a@1"e" ; b:+/z=1 ; a:/a@2"y" ; u a => {"a":"he","z":1} ; u a => {"a":"","z":1}"#
        ),
        UndoCase(
            12, #"B4 popped scope is one step"#,
            #"{"n":0}"#,
            #"a:/n=1 ; a&/n=2 ; b:+/z=1 ; a&/n=3 ; a&+/m=4 ; e:+/k=5 ; u a => {"n":0,"z":1,"k":5} ; r a => {"n":3,"z":1,"m":4,"k":5}"#
        ),
        UndoCase(
            13, #"B6 undo of an undo"#,
            #"{"a":0}"#,
            #"a:/a=1 ; u #1 => {"a":0} ; u #2 => {"a":1} ; u #1 => {"a":0} ; r #1 => {"a":1} ; r #1 !not-in-effect"#
        ),
        UndoCase(
            14, #"B6 redo stack after it"#,
            #"{"a":0}"#,
            #"a:/a=1 ; u a ; u #2 => {"a":1} ; r a !nothing-to-redo ; u a => {"a":0} ; r a => {"a":1}"#
        ),
        UndoCase(
            15, #"B9 discard takes only the owner's"#,
            #"{"a":0,"b":0}"#,
            #"a:/a=1 ; e:/b=1 ; a:/a=2 ; D a 1,3 => {"a":0,"b":1} ; u e => {"a":0,"b":0} ; r a => {"a":2,"b":0}"#
        ),
        UndoCase(
            16, #"B12 PUT keeps identity"#,
            #"{"l":[{"id":1,"v":1},{"id":2,"v":2}]}"#,
            #"b:/l/0/v=7 ; a:PUT {"l":[{"id":1,"v":7},{"id":2,"v":9},{"id":3,"v":3}]} ; u b => {"l":[{"id":1,"v":1},{"id":2,"v":9},{"id":3,"v":3}]} ; u a => {"l":[{"id":1,"v":1},{"id":2,"v":2}]}"#
        ),
        UndoCase(
            17, #"M1 move, removed by another"#,
            #"["192","946563"]"#,
            #"a:/1>/0 ; b:-/1 => ["946563"] ; u a => ["946563"] ~[1] ; u b => ["192","946563"]"#),
        UndoCase(
            18, #"M2 move, element added inside"#,
            #"[2,6,"x","y"]"#,
            #"a:/2>/0 ; b:+/2=4 => ["x",2,4,6,"y"] ; u a => [2,4,6,"x","y"] ; r a => ["x",2,4,6,"y"]"#
        ),
        UndoCase(
            19, #"F1 force takes exactly its own"#,
            #"["a","MINE","c"]"#,
            #"a:/1="b" + +/0={"x":1} ; b:/0/x=2 ; u a !conflict ["/0/x"] [2] ; u a force => ["a","MINE","c"] ; u b => ["a","MINE","c"] ~[2] ; r a => [{"x":1},"a","b","c"] ; r b => [{"x":2},"a","b","c"]"#
        ),
        UndoCase(
            20, #"F2 two insertions, one cut"#,
            #"{"t":"0123456789"}"#,
            #"a:/t@2"AAAA" + /t@10"BB" ; b:/t@3-2 => {"t":"01AA2345BB6789"} ; u a => {"t":"0123456789"} ; u b => {"t":"0123456789"} ~[2] ; r a => {"t":"01AAAA2345BB6789"}"#
        ),
        UndoCase(
            21, #"T1 typed inside another's text"#,
            #"{"t":""}"#,
            #"a:/t@0"hello" ; b:/t@2"XY" => {"t":"heXYllo"} ; u a => {"t":"XY"} ; r a => {"t":"heXYllo"} ; u b => {"t":"hello"}"#
        ),
        UndoCase(
            22, #"delete/delete overlap"#,
            #"{"t":"abcdef"}"#,
            #"a:/t@1-3 => {"t":"aef"} ; b:/t@0-2 => {"t":"f"} ; u a => {"t":"bcdf"} ; u b => {"t":"abcdef"} ; r a => {"t":"aef"}"#
        ),
        UndoCase(
            23, #"delete around another's insertion"#,
            #"{"t":"abcd"}"#,
            #"b:/t@2"X" ; a:/t@1-3 => {"t":"ad"} ; u b => {"t":"ad"} ~[1] ; u a => {"t":"abcd"} ; r b => {"t":"abXcd"}"#
        ),
        UndoCase(
            24, #"typed where text was deleted"#,
            #"{"t":"hello world"}"#,
            #"a:/t@5-6 ; b:/t@5"!" => {"t":"hello!"} ; u a => {"t":"hello world!"}"#),
        UndoCase(
            25, #"two insertions at one place, redo"#,
            #"{"t":"[]"}"#,
            #"a:/t@1"A" ; u a ; b:/t@1"B" ; r a => {"t":"[AB]"} ; u b => {"t":"[A]"}"#),
        UndoCase(
            26, #"same chars deleted by two"#,
            #"{"t":"abc"}"#,
            #"a:/t@1-1 ; u a ; b:/t@1-1 ; r a => {"t":"ac"} ~[1] ; u b => {"t":"ac"} ~[3] ; u a => {"t":"abc"}"#
        ),
        UndoCase(
            27, #"set/set, any order"#,
            #"{"x":0}"#,
            #"a:/x=1 ; b:/x=2 ; c:/x=3 ; u b => {"x":3} ~[2] ; u c => {"x":1} ; r b => {"x":2} ; u a => {"x":2} ~[1] ; u b => {"x":0}"#
        ),
        UndoCase(
            28, #"add/set of a member"#,
            #"{}"#,
            #"a:+/x=1 ; b:/x=2 ; u a => {"x":2} ~[1] ; u b => {}"#),
        UndoCase(
            29, #"set/remove of a member"#,
            #"{"x":0}"#,
            #"a:/x=1 ; b:-/x ; u a => {} ~[1] ; u b => {"x":0}"#),
        UndoCase(
            30, #"remove, then added by another"#,
            #"{"x":0}"#,
            #"a:-/x ; b:+/x=5 ; u a => {"x":5} ~[1] ; u b => {"x":0}"#),
        UndoCase(
            31, #"redo of a removal under a later set"#,
            #"{"x":0}"#,
            #"a:-/x ; u a => {"x":0} ; b:/x=5 ; r a => {"x":5} ~[1] ; u b => {}"#),
        UndoCase(
            32, #"edit inside a new element"#,
            #"[]"#,
            #"a:+/0={"v":1} ; b:/0/v=2 ; u a !conflict ["/0/v"] [2] ; u a skip !conflict ["/0/v"] [2] ; u b => [{"v":1}] ; u a => []"#
        ),
        UndoCase(
            33, #"skip takes the next older"#,
            #"{"n":0,"l":[]}"#,
            #"a:/n=1 ; a:+/l/0={"v":1} ; b:/l/0/v=2 ; u a skip => {"n":0,"l":[{"v":2}]} ; u b ; u a => {"n":0,"l":[]} ; r a => {"n":0,"l":[{"v":1}]} ; r a => {"n":1,"l":[{"v":1}]}"#
        ),
        UndoCase(
            34, #"value of a new element replaced"#,
            #"[]"#,
            #"a:+/0=1 ; b:/0=2 ; u a !conflict ["/0"] [2] ; u a force => [] ; r a => [2] ; u b => [1]"#
        ),
        UndoCase(
            35, #"edit inside a removed element"#,
            #"[{"v":1},{"v":2}]"#,
            #"b:/0/v=5 ; a:-/0 => [{"v":2}] ; u b => [{"v":2}] ~[1] ; u a => [{"v":1},{"v":2}]"#),
        UndoCase(
            36, #"redo of a removal over a later edit inside"#,
            #"[{"v":1}]"#,
            #"a:-/0 ; u a ; b:/0/v=5 ; r a !conflict ["/0/v"] [3] ; r a force => [] ; u a => [{"v":5}]"#
        ),
        UndoCase(
            37, #"redo at once is never a conflict"#,
            #"{"l":[{"v":1}]}"#,
            #"a:+/l/1={"v":9} ; b:/l/1/v=5 ; u a force => {"l":[{"v":1}]} ; r a => {"l":[{"v":1},{"v":5}]}"#
        ),
        UndoCase(
            38, #"new element moved by another"#,
            #"[1,2]"#,
            #"a:+/0=9 ; b:/0>/2 => [1,2,9] ; u a => [1,2] ; r a => [1,2,9] ; u b => [9,1,2]"#),
        UndoCase(
            39, #"move/move of one element"#,
            #"[1,2,3]"#,
            #"a:/0>/2 => [2,3,1] ; b:/2>/1 => [2,1,3] ; u a => [2,1,3] ~[1] ; u b => [1,2,3]"#),
        UndoCase(
            40, #"move back, others shift"#,
            #"{"a":[1,2],"b":[3]}"#,
            #"a:/a/0>/b/0 => {"a":[2],"b":[1,3]} ; b:+/a/0=0 ; b:+/b/0=4 ; u a => {"a":[1,0,2],"b":[4,3]}"#
        ),
        UndoCase(
            41, #"move of a member, place taken"#,
            #"{"x":1}"#,
            #"a:/x>/y ; b:+/x=5 => {"y":1,"x":5} ; u a !conflict ["/y"] [2] ; u a force => {"x":5} ; u b => {"x":1} ; r a => {"y":1}"#
        ),
        UndoCase(
            42, #"moved into a new container"#,
            #"{"x":1}"#,
            #"a:+/d={} ; b:/x>/d/x ; u a !conflict ["/d/x"] [2] ; u a force => {"x":1} ; r a => {"d":{"x":1}}"#
        ),
        UndoCase(
            43, #"moves into each other by redo"#,
            #"{"a":{},"b":{}}"#,
            #"a:/a>/b/a => {"b":{"a":{}}} ; u a ; b:/b>/a/b => {"a":{"b":{}}} ; r a !conflict ["/a/b"] [3] ; r a force => {"b":{"a":{}}} ; u a => {"a":{"b":{}}}"#
        ),
        UndoCase(
            44, #"container replaced as a whole"#,
            #"{"o":{"k":1}}"#,
            #"b:/o/k=2 ; a:/o={"n":0} ; c:/o/n=3 ; u b => {"o":{"n":3}} ~[1] ; u a !conflict ["/o/n"] [3] ; u c ; u a => {"o":{"k":1}} ; r b => {"o":{"k":2}}"#
        ),
        UndoCase(
            45, #"remove of a container with later edits elsewhere"#,
            #"{"o":{"k":1},"z":0}"#,
            #"a:-/o ; b:/z=1 ; u a => {"o":{"k":1},"z":1}"#),
        UndoCase(
            46, #"shared undo, then own redo"#,
            #"{"x":0,"y":0}"#,
            #"a:/x=1 ; b:/y=1 ; U => {"x":1,"y":0} ; U => {"x":0,"y":0} ; r a !nothing-to-redo ; R => {"x":1,"y":0} ; u a => {"x":0,"y":0} ; r a => {"x":1,"y":0}"#
        ),
        UndoCase(
            47, #"shared undo of an own undo"#,
            #"{"x":0}"#,
            #"a:/x=1 ; u a => {"x":0} ; U => {"x":1} ; r a !nothing-to-redo ; u a => {"x":0}"#),
        UndoCase(
            48, #"fork and back"#,
            #"{"x":0,"l":[]}"#,
            #"a:+/l/0=1 ; b:+/l/1=2 ; G1 => {"x":0,"l":[1]} ; c:+/l/0=9 => {"x":0,"l":[9,1]} ; u b !nothing-to-undo ; G2 => {"x":0,"l":[1,2]} ; u c !nothing-to-undo ; u a => {"x":0,"l":[2]}"#
        ),
        UndoCase(
            49, #"own redo is lost by an own edit, not by another's"#,
            #"{"x":0,"y":0}"#,
            #"a:/x=1 ; u a ; b:/y=1 ; r a => {"x":1,"y":1} ; u a ; a:/y=2 ; r a !nothing-to-redo"#),
        UndoCase(
            50, #"order of two presses differs by passing"#,
            #"{"y":0,"x":0}"#,
            #"a:/y=5 ; a:/x=1 ; b:/x=2 ; u b => {"y":5,"x":1} ; u a => {"y":5,"x":0}"#),
        UndoCase(
            51, #"the other order"#,
            #"{"y":0,"x":0}"#,
            #"a:/y=5 ; a:/x=1 ; b:/x=2 ; u a => {"y":0,"x":2} ~[2] ; u b => {"y":0,"x":0}"#),
        UndoCase(
            52, #"groups that hold each other"#,
            #"{"l":[]}"#,
            #"a:+/l/0={"v":0} ; b:+/l/1={"w":0} ; b&/l/0/v=1 ; a&/l/1/w=1 ; u a !conflict ["/l/0/v"] [3] ; u b !conflict ["/l/1/w"] [4] ; u a skip => {"l":[{"v":1},{"w":0}]} ; u b => {"l":[{"v":0}]} ; u a => {"l":[]}"#
        ),
        UndoCase(
            53, #"emoji: positions count UTF-16 code units"#,
            #"{"t":"ab"}"#,
            #"a:/t@1"😀" ; b:/t@3"c" ; u a => {"t":"acb"}"#),
        UndoCase(
            54, #"what is passed does not wait for a conflict behind it"#,
            #"{"l":"a","o":[]}"#,
            #"c:+/o/0={} ; b:/l>/o/0/l ; c:+/l=5 + -/l + +/x=1 ; e:/x=2 => {"o":[{"l":"a"}],"x":2} ; u b !conflict ["/o/0/l"] [3] ; u c => {"o":[{"l":"a"}],"x":2} ~[3] ; u c !conflict ["/o/0/l"] [2] ; u b => {"l":"a","o":[{}],"x":2} ; u c => {"l":"a","o":[],"x":2}"#
        ),
        UndoCase(
            55, #"T14: out of a list into the one around it, past an edit inside"#,
            #"{"l":[{"id":"A","sub":[{"id":"B","t":"x"}]}]}"#,
            #"a:/l/0/sub/0>/l/0 ; b:/l/0/t="y" => {"l":[{"id":"B","t":"y"},{"id":"A","sub":[]}]} ; u a => {"l":[{"id":"A","sub":[{"id":"B","t":"y"}]}]} ; r a => {"l":[{"id":"B","t":"y"},{"id":"A","sub":[]}]} ; u b => {"l":[{"id":"B","t":"x"},{"id":"A","sub":[]}]}"#
        ),
        UndoCase(
            56, #"T4: what was removed and won back by an edit inside is one element"#,
            #"{"l":[{"id":"E","t":"x"}]}"#,
            #"a:-/l/0 ; b<0:/l/0/t="b" => {"l":[{"id":"E","t":"b"}]} ; u a => {"l":[{"id":"E","t":"b"}]} ~[1] ; u b => {"l":[{"id":"E","t":"x"}]} ; r a => {"l":[]} ; r b => {"l":[{"id":"E","t":"b"}]}"#
        ),
        UndoCase(
            57, #"T4: it goes again with the edit, and others' later work in it is in the way"#,
            #"{"m":{"t":"x","n":0}}"#,
            #"a:-/m ; b<0:/m/t="b" => {"m":{"t":"b","n":0}} ; c:/m/n=1 ; u b !conflict ["/m/n"] [3] ; u c ; u b => {} ; u a => {"m":{"t":"x","n":0}}"#
        ),
        UndoCase(
            58, #"O6: a move onto a member overwrites what was there, as another value would"#,
            #"{"y":51,"o":{"b":53},"other":[1]}"#,
            #"b:/y>/o/b ; c:/other>/o/b => {"o":{"b":[1]}} ; u b => {"o":{"b":[1]},"y":51} ; r b => {"o":{"b":[1]}} ; u b ; u c => {"o":{"b":53},"other":[1],"y":51} ; r c => {"o":{"b":[1]},"y":51} ; r b => {"o":{"b":[1]}} ; u c => {"o":{"b":51},"other":[1]} ; u b => {"o":{"b":53},"other":[1],"y":51}"#
        ),
        UndoCase(
            59, #"O6: what a value that was never there was moved onto is there"#,
            #"{"o":{"b":1}}"#,
            #"a:+/x=2 ; b:/x>/o/b => {"o":{"b":2}} ; u a => {"o":{"b":1}} ; u b => {"o":{"b":1}} ~[2] ; r a => {"o":{"b":1},"x":2} ; r b => {"o":{"b":2}}"#
        ),
    ]
}
