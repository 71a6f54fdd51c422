import assert from 'node:assert/strict';
import { sessionRefOf } from '../../rooms/format';
import { CONFIGURATION, createSessions, sessionsOf } from './createSessions';
import { finding, settle, stampOf, transcript } from './fakes';

const HERE = { ...CONFIGURATION, workspaceFolders: ['/p'] };
const REFUSED = { status: 'corrupted', findings: [finding({ code: 'tool-input', isRefused: true })] } as const;
const MB = 1024 * 1024;

type Parts = ReturnType<typeof createSessions>;

/** A second at a time. */
async function advance({ clock }: Pick<Parts, 'clock'>, ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 1000) {
    clock.advance(Math.min(left, 1000));
    await settle();
  }
}

/** A window on /p in which the sessions were listed. */
async function listed(add: (parts: Parts) => void, parts = createSessions()): Promise<Parts> {
  add(parts);
  await parts.sessions.configure(HERE);
  await parts.sessions.current.scanAll();
  return parts;
}

describe('Sessions of the open folder that were not refused yet', () => {
  it('are judged once everything else is scanned, and are then listed as broken', async () => {
    const here = transcript('-p', 'here').path;
    const parts = await listed(({ add }) => {
      add('-p', 'here');
      add('-elsewhere', 'far');
    });
    assert.deepEqual(parts.engine.judged, []);
    parts.engine.changes.set(here, { result: REFUSED });
    await advance(parts, 10_000);
    assert.deepEqual(parts.engine.judged, [here]);
    const session = sessionsOf(parts.events).find(({ id }) => id === 'here');
    assert.deepEqual([session?.health, session?.isRepairable], ['corrupted', true]);
  });

  it('are judged once for each state of the file', async () => {
    const here = transcript('-p', 'here').path;
    const parts = await listed(({ add }) => {
      add('-p', 'here');
    });
    await advance(parts, 120_000);
    await parts.sessions.current.scanAll();
    await advance(parts, 120_000);
    assert.deepEqual(parts.engine.judged, [here]);
    parts.files.stamps.set(here, stampOf(9));
    await advance(parts, 120_000);
    assert.deepEqual(parts.engine.judged, [here, here]);
  });

  it('are not sent again if they are as healthy as before', async () => {
    const parts = await listed(({ add }) => {
      add('-p', 'here');
    });
    await advance(parts, 4000);
    const sent = parts.events.snapshots.length;
    await advance(parts, 10_000);
    assert.deepEqual([parts.engine.judged.length, parts.events.snapshots.length], [1, sent]);
  });

  it('are not sent again for a finding that only their tooltips show, which ask for it', async () => {
    const here = transcript('-p', 'here').path;
    const parts = await listed(({ add }) => {
      add('-p', 'here');
    });
    await advance(parts, 4000);
    const sent = parts.events.snapshots.length;
    const told = finding({ code: 'invisible', severity: 'info', action: 'tell' });
    parts.engine.changes.set(here, { result: { findings: [told] } });
    await advance(parts, 10_000);
    assert.deepEqual([parts.engine.judged.length, parts.events.snapshots.length], [1, sent]);
    const details = await parts.sessions.current.details(sessionRefOf(here));
    assert.deepEqual(details.scan.result.findings, [told]);
  });

  it('are not judged again by the next window', async () => {
    const first = await listed(({ add }) => {
      add('-p', 'here');
    });
    await advance(first, 10_000);
    assert.equal(first.engine.judged.length, 1);
    const next = await listed(({ add, cache }) => {
      add('-p', 'here');
      for (const [path, known] of first.cache.scans) cache.scans.set(path, known);
    });
    await advance(next, 120_000);
    assert.deepEqual([next.engine.scanned, next.engine.judged], [[], []]);
  });

  it('are the twenty most recent ones, the most recent one first', async () => {
    const parts = await listed(({ add, engine }) => {
      for (let at = 0; at < 30; at++) {
        add('-p', `s${at}`);
        engine.changes.set(transcript('-p', `s${at}`).path, { metadata: { lastMessageMs: 1000 + at } });
      }
    });
    await advance(parts, 60_000);
    const recent = Array.from({ length: 20 }, (_, at) => transcript('-p', `s${29 - at}`).path);
    assert.deepEqual(parts.engine.judged, recent);
  });

  it('are not judged while a client runs them, or if that would take long', async () => {
    const parts = await listed(({ add, engine, files }) => {
      add('-p', 'running');
      add('-p', 'large');
      engine.live = new Map([['running', 'busy']]);
      files.stamps.set(transcript('-p', 'large').path, stampOf(1, 9 * MB));
    });
    await advance(parts, 120_000);
    assert.deepEqual(parts.engine.judged, []);
    parts.engine.live = new Map();
    await advance(parts, 120_000);
    assert.deepEqual(parts.engine.judged, [transcript('-p', 'running').path]);
  });

  it('are left alone for a minute after somebody wrote to them', async () => {
    const here = transcript('-p', 'here').path;
    const parts = createSessions();
    const writtenMs = parts.clock.now();
    await listed(({ add, files }) => {
      add('-p', 'here');
      files.stamps.set(here, stampOf(writtenMs));
    }, parts);
    await advance(parts, 55_000);
    assert.deepEqual(parts.engine.judged, []);
    await advance(parts, 10_000);
    assert.deepEqual(parts.engine.judged, [here]);
  });

  it('are no longer judged once the window closes', async () => {
    const parts = await listed(({ add }) => {
      add('-p', 'one');
      add('-p', 'other');
    });
    await parts.sessions.drain();
    await advance(parts, 120_000);
    assert.deepEqual(parts.engine.judged, []);
  });

  it('stay as they were judged when they are scanned again without a change', async () => {
    const here = transcript('-p', 'here').path;
    const parts = await listed(({ add }) => {
      add('-p', 'here');
    });
    parts.engine.changes.set(here, { result: REFUSED });
    await advance(parts, 10_000);
    await parts.sessions.current.scanAll({ rescanUnchanged: true });
    assert.deepEqual(parts.engine.judged, [here, here]);
  });
});
