-- Doubt and correction: tombstones, the review queue, feedback.

-- A claim or a proposal that must not come back. Only its digest is kept, so the words can still be erased.
create table tombstone (
    id text primary key,
    kind text not null check (kind in ('claim', 'proposal')),
    space_id text,
    digest text not null,
    memory_id text,
    reason text not null,
    actor text not null,
    at text not null,
    lifted integer not null check (lifted in (0, 1)),
    lifted_reason text not null
) strict;
create unique index tombstone_standing on tombstone (kind, ifnull(space_id, ''), digest) where lifted = 0;

-- A review item is a change that waits for a person. The fingerprint is unique for ever: what was dismissed stays so.
create table review (
    id text primary key,
    kind text not null check (kind in ('supersede', 'contradiction', 'near_tombstone', 'page_revision', 'page_merge',
        'entity_merge', 'relation_conflict', 'new_vocabulary', 'stale_evidence')),
    status text not null check (status in ('pending', 'accepted', 'dismissed', 'expired')),
    if_accepted text not null,
    if_dismissed text,
    fingerprint text not null unique,
    space_id text references space (id),
    before_id text,
    after_id text,
    why text not null,
    proposed_by text not null,
    created text not null,
    resolved text,
    resolved_by text,
    resolution text not null,
    check ((status = 'pending') = (resolved is null))
) strict;
create index review_pending on review (created) where status = 'pending';
create index review_subjects on review (before_id, after_id);

create table feedback (
    id text primary key,
    memory_id text not null references memory (id),
    verdict text not null check (verdict in ('used', 'helpful', 'wrong')),
    actor text not null,
    at text not null
) strict;
create index feedback_memory on feedback (memory_id);
