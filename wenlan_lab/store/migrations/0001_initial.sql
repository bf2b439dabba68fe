-- The truth of one workbench. Times are ISO 8601 in UTC with microseconds, so text order is time order.

create table workbench (
    key text primary key,
    value text not null
) strict, without rowid;

-- The journal: one row for each change that took effect, chained by hash. Payloads lie beside the chain, so that a
-- text can be erased and the chain still verifies.
create table journal (
    seq integer primary key,
    at text not null,
    actor text not null check (actor <> ''),
    change text not null,
    summary text not null,
    digest text not null,
    previous_hash text not null,
    hash text not null unique
) strict;

create table journal_payload (
    seq integer primary key references journal (seq),
    nonce text,
    body blob,
    erased_by integer references journal (seq),
    check ((body is null) = (nonce is null))
) strict;

create table touched (
    seq integer not null references journal (seq),
    kind text not null,
    id text not null,
    primary key (seq, kind, id)
) strict, without rowid;
create index touched_subject on touched (kind, id, seq);

create table space (
    id text primary key,
    name text not null unique check (trim(name) = name and name <> ''),
    description text not null,
    created text not null,
    revision integer not null
) strict;

create table memory (
    id text primary key,
    space_id text references space (id),
    text text not null,
    text_key text,
    type text not null check (type in ('identity', 'preference', 'decision', 'fact', 'lesson', 'gotcha')),
    fields text not null,
    cue text,
    tags text not null,
    trust text not null check (trust in ('draft', 'asserted', 'grounded', 'accepted', 'disputed', 'rejected')),
    status text not null check (status in ('held', 'live', 'superseded', 'retracted', 'forgotten')),
    pinned integer not null check (pinned in (0, 1)),
    supersedes text references memory (id),
    supersede_mode text not null check (supersede_mode in ('hide', 'archive')),
    valid_from text not null,
    valid_to text,
    time_rule text not null check (time_rule in ('stated', 'document', 'event', 'capture')),
    author text not null check (author <> ''),
    origin text not null,
    created text not null,
    changed text not null,
    touched text not null,
    uses integer not null,
    revision integer not null,
    check ((status = 'forgotten') = (text = ''))
) strict;
-- One live statement of the same words in one space. This constraint, not a look beforehand, is what decides.
create unique index memory_live_statement on memory (ifnull(space_id, ''), text_key) where status = 'live';
create index memory_space on memory (space_id);
create index memory_supersedes on memory (supersedes) where supersedes is not null;

-- Every state a memory was in: a log that is only appended to, whose open row is the present.
create table memory_version (
    memory_id text not null,
    version integer not null,
    seq integer not null references journal (seq),
    recorded_from text not null,
    recorded_to text,
    valid_from text not null,
    valid_to text,
    state text not null,
    primary key (memory_id, version)
) strict, without rowid;

create table source (
    id text primary key,
    kind text not null check (kind in ('chat', 'file', 'notebook', 'cell', 'url')),
    ref text not null,
    title text not null,
    space_id text references space (id),
    digest text not null,
    added text not null,
    revision integer not null
) strict;
create unique index source_ref on source (ifnull(space_id, ''), kind, ref);

create table passage (
    id text primary key,
    source_id text not null references source (id),
    ref text not null,
    thread text not null,
    position integer not null,
    speaker text not null,
    at text,
    text text not null,
    title text not null,
    digest text not null,
    redactions integer not null,
    gone integer not null check (gone in (0, 1)),
    unique (source_id, thread, position, ref, digest)
) strict;

create table evidence (
    id text primary key,
    memory_id text not null references memory (id),
    quote text not null,
    passage_id text references passage (id),
    source_id text references source (id),
    start_at integer not null,
    end_at integer not null,
    source_digest text not null,
    located integer not null check (located in (0, 1)),
    supports integer check (supports in (0, 1))
) strict;
create index evidence_memory on evidence (memory_id);
create index evidence_passage on evidence (passage_id) where passage_id is not null;
create index evidence_source on evidence (source_id) where source_id is not null;

create table rejection (
    id text primary key,
    at text not null,
    actor text not null,
    reason text not null,
    detail text not null,
    digest text not null,
    excerpt text not null
) strict;
