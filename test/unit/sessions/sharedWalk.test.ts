import assert from 'node:assert/strict';
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SharedWalk } from '../../rooms/sessions';
import { nodeWriteFs } from '../../rooms/storage';
import { diskSessionFiles } from '../../rooms/util';
import { withTemporaryFolder } from '../../support/temporaryFolder';

/** As often as the worker looks, in milliseconds. */
const LOOK_MS = 700;
const HANDOVER_MS = 3_000;
/** Time to set the times of a file. */
const BEAT_MS = 5;
const PATHS = ['/projects/-p/a.jsonl', '/projects/-p/b.jsonl'];

/** Windows that share one file and one clock, each of which looks in turn. */
class Windows {
  readonly warnings: string[] = [];
  readonly news: (readonly [name: string, paths: readonly string[] | null])[] = [];
  readonly #windows = new Map<string, SharedWalk>();
  #nowMs = 1_000_000_000_000;

  constructor(private readonly filePath: string) {}

  get walking(): string[] {
    return [...this.#windows].filter(([, walk]) => walk.look()).map(([name]) => name);
  }

  open(name: string): SharedWalk {
    const walk = new SharedWalk({
      filePath: this.filePath,
      windowId: name,
      files: diskSessionFiles,
      fs: nodeWriteFs,
      clock: { now: () => this.#nowMs },
      onNews: (paths) => this.news.push([name, paths]),
      warn: (message) => this.warnings.push(message),
    });
    this.#windows.set(name, walk);
    return walk;
  }

  /** Its process is gone. */
  kill(name: string): SharedWalk {
    const walk = this.#windows.get(name);
    if (walk === undefined) throw new Error(`Failed to find window ${name}`);
    this.#windows.delete(name);
    return walk;
  }

  /** A process that was stopped goes on. */
  goOn(name: string, walk: SharedWalk): void {
    this.#windows.set(name, walk);
  }

  /** Each window looks as often as in so many milliseconds. */
  async pass(ms: number): Promise<void> {
    for (let leftMs = ms; leftMs > 0; leftMs -= LOOK_MS) {
      this.#nowMs += LOOK_MS;
      for (const walk of this.#windows.values()) walk.look();
      for (const walk of this.#windows.values()) await walk.settled();
      // The times of the file are set without waiting.
      await new Promise((resolve) => setTimeout(resolve, BEAT_MS));
    }
  }

  setClock(byMs: number): void {
    this.#nowMs += byMs;
  }
}

async function withWindows(test: (windows: Windows, filePath: string) => Promise<void>): Promise<void> {
  await withTemporaryFolder(async (folder) => {
    const filePath = join(folder, 'walk.json');
    await test(new Windows(filePath), filePath);
  });
}

describe('Several windows', () => {
  it('have one of them list all sessions, also if five open at once', () =>
    withWindows(async (windows) => {
      for (const name of ['a', 'b', 'c', 'd', 'e']) windows.open(name);
      await windows.pass(8_000);
      assert.equal(windows.walking.length, 1);
      assert.deepEqual(windows.warnings, []);
    }));

  it('hand it over within three seconds when the window that lists them is closed', () =>
    withWindows(async (windows) => {
      windows.open('a');
      await windows.pass(LOOK_MS);
      windows.open('b');
      await windows.pass(LOOK_MS);
      assert.deepEqual(windows.walking, ['a']);
      await windows.kill('a').close();
      await windows.pass(HANDOVER_MS - LOOK_MS);
      assert.deepEqual(windows.walking, ['b']);
    }));

  it('hand it over within three seconds when that window is killed', () =>
    withWindows(async (windows) => {
      windows.open('a');
      await windows.pass(2 * LOOK_MS);
      windows.open('b');
      windows.open('c');
      await windows.pass(5 * LOOK_MS);
      assert.deepEqual(windows.walking, ['a']);
      await windows.kill('a').settled();
      await windows.pass(HANDOVER_MS - LOOK_MS);
      assert.equal(windows.walking.length, 1);
    }));

  it('keep the new one when the old one was only stopped', () =>
    withWindows(async (windows) => {
      windows.open('a');
      await windows.pass(LOOK_MS);
      windows.open('b');
      await windows.pass(LOOK_MS);
      const stopped = windows.kill('a');
      await windows.pass(HANDOVER_MS);
      windows.goOn('a', stopped);
      await windows.pass(4 * LOOK_MS);
      assert.deepEqual(windows.walking, ['b']);
    }));

  it('tell each other within ten seconds what they have found', () =>
    withWindows(async (windows) => {
      const own = windows.open('a');
      await windows.pass(LOOK_MS);
      const other = windows.open('b');
      windows.open('c');
      await windows.pass(LOOK_MS);
      windows.news.length = 0;
      for (const path of PATHS) own.note(path);
      other.note('/projects/-p/found-by-one-that-does-not-walk.jsonl');
      await windows.pass(10_000);
      assert.deepEqual(
        windows.news.toSorted(([one], [other]) => one.localeCompare(other)),
        [
          ['b', PATHS],
          ['c', PATHS],
        ],
      );
    }));

  it('tell each other at once what they have found, but not more often than every two seconds', () =>
    withWindows(async (windows) => {
      const own = windows.open('a');
      await windows.pass(LOOK_MS);
      windows.open('b');
      await windows.pass(10_000);
      const [first = '', second = ''] = PATHS;
      windows.news.length = 0;
      own.note(first);
      await windows.pass(2 * LOOK_MS);
      assert.deepEqual(windows.news, [['b', [first]]]);
      own.note(second);
      await windows.pass(2 * LOOK_MS);
      assert.equal(windows.news.length, 1);
      await windows.pass(5_000 - LOOK_MS);
      assert.deepEqual(windows.news.at(-1), ['b', [second]]);
    }));

  it('are called by the one that walks, each once', () =>
    withWindows(async (windows) => {
      const walking = windows.open('a');
      await windows.pass(LOOK_MS);
      const others = [windows.open('b'), windows.open('c')];
      await windows.pass(LOOK_MS);
      const calls = (): boolean[] => others.map((walk) => walk.takeCall());
      // What happened before they followed is not known to them.
      assert.deepEqual(calls(), [true, true]);
      for (let call = 0; call < 3; call++) {
        assert.deepEqual(calls(), [false, false]);
        walking.call();
        await windows.pass(LOOK_MS);
        assert.deepEqual(calls(), [true, true]);
      }
      others[0]?.call();
      await windows.pass(LOOK_MS);
      assert.deepEqual(calls(), [false, false]);
    }));

  it('follow only while another one walks', () =>
    withWindows(async (windows) => {
      const walking = windows.open('a');
      await windows.pass(LOOK_MS);
      const other = windows.open('b');
      assert.deepEqual([walking.isFollowing, other.isFollowing], [false, false]);
      await windows.pass(2 * LOOK_MS);
      assert.deepEqual([walking.isFollowing, other.isFollowing], [false, true]);
      await windows.kill('a').settled();
      await windows.pass(HANDOVER_MS - LOOK_MS);
      assert.equal(other.isFollowing, false);
      await other.resign();
      assert.equal(other.isFollowing, false);
    }));

  it('tell each other what they have found after the file was damaged or deleted', () =>
    withWindows(async (windows, filePath) => {
      const own = windows.open('a');
      await windows.pass(LOOK_MS);
      windows.open('b');
      const [first = '', second = ''] = PATHS;
      for (const path of PATHS) {
        own.note(path);
        await windows.pass(7_000);
      }
      windows.news.length = 0;
      await writeFile(filePath, '{"ver');
      own.note(first);
      await windows.pass(10_000);
      assert.deepEqual(windows.news, [['b', [first]]]);
      windows.news.length = 0;
      await rm(filePath);
      own.note(second);
      await windows.pass(10_000);
      // Both see that there is no file: either begins it. If b is quicker, it lists everything, and so does a.
      const told = windows.news.toSorted(([one], [other]) => one.localeCompare(other));
      assert.deepEqual(
        told,
        windows.walking.includes('a')
          ? [['b', [second]]]
          : [
              ['a', null],
              ['b', null],
            ],
      );
    }));

  it('list everything again if there were more reports before one of them opened than are kept', () =>
    withWindows(async (windows) => {
      const own = windows.open('a');
      await windows.pass(LOOK_MS);
      for (let report = 0; report < 14; report++) {
        own.note(`/projects/-p/${report}.jsonl`);
        await windows.pass(7_000);
      }
      windows.open('b');
      await windows.pass(LOOK_MS);
      assert.deepEqual(windows.news.at(-1), ['b', null]);
    }));

  it('list everything again after more than five hundred sessions have changed', () =>
    withWindows(async (windows) => {
      const own = windows.open('a');
      await windows.pass(LOOK_MS);
      windows.open('b');
      await windows.pass(LOOK_MS);
      windows.news.length = 0;
      for (let at = 0; at < 501; at++) own.note(`/projects/-p/${at}.jsonl`);
      await windows.pass(10_000);
      assert.deepEqual(windows.news, [['b', null]]);
    }));

  it('list everything again after another window began to walk, which cannot know what the one before had found', () =>
    withWindows(async (windows) => {
      windows.open('a');
      await windows.pass(LOOK_MS);
      windows.open('b');
      windows.open('c');
      await windows.pass(2 * LOOK_MS);
      windows.news.length = 0;
      windows.kill('a');
      await windows.pass(2 * HANDOVER_MS);
      assert.deepEqual(
        windows.news.toSorted(([one], [other]) => one.localeCompare(other)),
        [
          ['b', null],
          ['c', null],
        ],
      );
    }));

  it('list everything again after so many reports that some were missed', () =>
    withWindows(async (windows) => {
      const own = windows.open('a');
      await windows.pass(LOOK_MS);
      windows.open('b');
      own.note(PATHS[0] ?? '');
      await windows.pass(10_000);
      const stopped = windows.kill('b');
      for (let report = 0; report < 14; report++) {
        own.note(`/projects/-p/${report}.jsonl`);
        await windows.pass(7_000);
      }
      windows.news.length = 0;
      windows.goOn('b', stopped);
      await windows.pass(LOOK_MS);
      assert.deepEqual(windows.news, [['b', null]]);
    }));

  it('keep walking when the clock is set back by a day', () =>
    withWindows(async (windows) => {
      windows.open('a');
      await windows.pass(LOOK_MS);
      windows.open('b');
      await windows.pass(LOOK_MS);
      windows.setClock(-86_400_000);
      await windows.pass(10_000);
      assert.equal(windows.walking.length, 1);
    }));

  it('begin a damaged file anew', () =>
    withWindows(async (windows, filePath) => {
      await writeFile(filePath, '{"version":1,"own');
      windows.open('a');
      await windows.pass(HANDOVER_MS);
      assert.deepEqual(windows.walking, ['a']);
      assert.match(await readFile(filePath, 'utf8'), /"owner":"a"/);
    }));

  it('begin a file anew that is damaged while one of them lists all sessions', () =>
    withWindows(async (windows, filePath) => {
      windows.open('a');
      await windows.pass(LOOK_MS);
      windows.open('b');
      await windows.pass(2 * LOOK_MS);
      await writeFile(filePath, 'damaged');
      await windows.pass(2 * LOOK_MS);
      assert.deepEqual(windows.walking, ['a']);
      assert.match(await readFile(filePath, 'utf8'), /"owner":"a"/);
    }));

  it('each walk alone while something else stands in the place of the file, and then together again', () =>
    withWindows(async (windows, filePath) => {
      windows.open('a');
      await windows.pass(LOOK_MS);
      windows.open('b');
      await windows.pass(LOOK_MS);
      await rm(filePath);
      await mkdir(filePath);
      for (let report = 0; report < 3; report++) {
        await windows.pass(HANDOVER_MS);
        assert.deepEqual(windows.walking, ['a', 'b']);
      }
      await windows.pass(40_000);
      assert.deepEqual(windows.walking, ['a', 'b']);
      await rm(filePath, { recursive: true });
      await windows.pass(20_000);
      assert.equal(windows.walking.length, 1);
    }));

  it('each walk alone where a later version has written the file, and leave it as it is', () =>
    withWindows(async (windows, filePath) => {
      const later = '{"version":2,"leader":"x"}';
      await writeFile(filePath, later);
      windows.open('a');
      windows.open('b');
      await windows.pass(40_000);
      assert.deepEqual(windows.walking, ['a', 'b']);
      assert.equal(await readFile(filePath, 'utf8'), later);
      assert.equal(windows.warnings.length, 2, 'each warns once');
    }));

  it('each walk alone where the folder cannot be created', () =>
    withTemporaryFolder(async (folder) => {
      await writeFile(join(folder, 'file'), '');
      const windows = new Windows(join(folder, 'file', 'walk.json'));
      windows.open('a');
      windows.open('b');
      await windows.pass(HANDOVER_MS);
      assert.deepEqual(windows.walking, ['a', 'b']);
    }));

  it('leave a file that only their own user can read', () =>
    withWindows(async (windows, filePath) => {
      windows.open('a');
      await windows.pass(LOOK_MS);
      assert.equal((await stat(filePath)).mode & 0o077, 0);
    }));
});
