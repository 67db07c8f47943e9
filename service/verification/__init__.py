"""
Verification of a database: it finds records that were changed without the service.

`chains` checks the hashes of events, `expected_records` and `club_records` derive the records from the events,
`comparing` compares each column with those, `rounds` also proves results in bulk with the audit of recomputations and
compares the sums of statements with the records, and `trees` and `round_maps` check the tree, the map of rounds and the
checkpoints. `covers` lists what each column is compared with.
"""
