"""
Verification of a database: it finds records that were changed without the service.

`chains` checks the hashes of events, `expected_records` and `club_records` derive the records from the events, `rounds`
feeds the engine of `service.replays` with these, which compares each column (`comparing` lists with what), `figures`
compares the sums of statements with the records, and `trees` and `round_maps` check the tree, the map of rounds and the
checkpoints.
"""
