"""Everything that may be deleted: the keyword index, the vectors, the graph. It follows the journal and owns nothing."""
