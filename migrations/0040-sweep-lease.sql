-- Which process sweeps, and until when. The lock of its only row ends the race of the processes that want to.
create table sweep_lease (
  id          integer     not null,
  owner       text        not null,
  expires_at  timestamptz not null,
  primary key (id),
  constraint sweep_lease_has_one_row check (id = 1)
);
insert into sweep_lease (id, owner, expires_at) values (1, 'nobody', '-infinity');
