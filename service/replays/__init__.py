"""
The engine that replays rounds and compares their stored results with what follows.

It is fed with records (a recomputation: an audit, a what-if, new revisions) or with events (`ofc-server verify`).
Rounds of a range are first replayed at once (`in_bulk`, which reads arrays with `packed`); the results of the others
follow from their histories by the plain rules (`results`); `comparing` yields how stored and expected records differ,
each difference a finding (`findings`). `stretches` divides rounds into ranges.
"""
