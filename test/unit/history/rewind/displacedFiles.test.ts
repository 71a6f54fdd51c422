import assert from 'node:assert/strict';
import {
  appendFileSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import type { RewindOutcome } from '../../../../src/protocol/history';
import type { Place } from '../../../rewind/support/place';
import { rewindSize } from '../../../rewind/support/rewindSize';
import { sessionRefOf } from '../../../rooms/format';
import { FaultyFs, type FsCall } from '../../storage/faultyFs';
import { PROMPT, sessionWith, writeFile } from './oneFile';
import { textsIn, textsLeft } from './restlessFiles';
import { backup, litterIn, requestOf, rewindsWith, safetyFolders, withPlace } from './rewindFixture';

const FILES = ['restored.txt', 'made.txt', 'gone.txt'] as const;
type Name = (typeof FILES)[number];
/** The contents before the rewind, and after it. Null: there is no file. */
const BEFORE = { 'restored.txt': 'is: restored\n', 'made.txt': 'is: made\n', 'gone.txt': null } as const;
const AFTER = { 'restored.txt': 'was: restored\n', 'made.txt': null, 'gone.txt': 'was: gone\n' } as const;
const EDIT = 'edited by another program\n';

/** What another program does to a file, all at once. */
interface Act {
  readonly name: string;
  /** @returns the content that the program has written, and that must not be lost; null for none */
  readonly run: (path: string) => string | null;
}

const ACTS: readonly Act[] = [
  {
    name: 'saves in place',
    run: (path) => {
      writeFileSync(path, EDIT);
      return EDIT;
    },
  },
  {
    name: 'saves in place as many bytes',
    run: (path) => {
      const bytes = existsSync(path) ? 'IS: other\n'.padEnd(readFileSync(path).length, '.') : EDIT;
      writeFileSync(path, bytes);
      return bytes;
    },
  },
  {
    name: 'renames a file over it',
    run: (path) => {
      writeFileSync(`${path}~`, EDIT);
      renameSync(`${path}~`, path);
      return EDIT;
    },
  },
  {
    name: 'appends',
    run: (path) => {
      appendFileSync(path, EDIT);
      return EDIT;
    },
  },
  {
    name: 'deletes',
    run: (path) => {
      rmSync(path, { force: true });
      return null;
    },
  },
];

function scene(place: Place): void {
  sessionWith(place, Object.fromEntries(FILES.map((name) => [name, backup(place, name, 1, AFTER[name])])));
  for (const name of FILES) {
    const content = BEFORE[name];
    if (content !== null) writeFile(place, name, content);
  }
}

const contentOf = (path: string): string | null => (existsSync(path) ? readFileSync(path, 'utf8') : null);

async function rewindWith(place: Place, beforeCall: (call: FsCall) => void): Promise<[RewindOutcome, FaultyFs]> {
  const fs = new FaultyFs();
  fs.beforeCall = beforeCall;
  return [await rewindsWith(place, fs).rewind(requestOf(place, PROMPT)), fs];
}

/** The calls before which the unit tests have another program act: those that change names, and some of the others. */
function isTried({ index, name }: FsCall, at: number): boolean {
  return rewindSize().isFull || ['link', 'rename', 'unlink'].includes(name) || (index + at) % 40 === 0;
}

/** Another program acts once, just before a call. The rewind is then done or refused, and nothing is lost. */
function assertNothingLost(act: Act, name: Name, index: number): Promise<RewindOutcome> {
  return withPlace(async (place) => {
    scene(place);
    const path = join(place.cwd, name);
    const written: (string | null)[] = [];
    const at = `${act.name} ${name} at ${index}`;
    const [outcome] = await rewindWith(place, (call) => {
      if (call.index === index) written.push(act.run(path));
    });
    assert.ok(
      outcome.reason === null || outcome.reason === 'changed-since-preview',
      `${at}: ${String(outcome.reason)}`,
    );
    for (const text of written) {
      if (text === null) continue;
      assert.ok(
        textsLeft(place).some((each) => each.includes(text)),
        `${at}: lost what it wrote`,
      );
    }
    // What stood there before was ours to keep, unless the other program removed it.
    for (const other of FILES) {
      const [before, found] = [BEFORE[other], contentOf(join(place.cwd, other))];
      if (other !== name) assert.equal(found, outcome.reason === null ? AFTER[other] : before, `${at}: ${other}`);
      const isOwnLoss = other === name && act.name !== 'appends';
      if (before === null || isOwnLoss) continue;
      assert.ok(
        textsLeft(place).some((each) => each.startsWith(before)),
        `${at}: lost ${other}`,
      );
    }
    assert.deepEqual(litterIn(place.cwd), [], at);
    if (outcome.reason !== null && outcome.safetyPath !== null) {
      assert.ok(outcome.result.error?.includes(outcome.safetyPath), at);
      assert.deepEqual(safetyFolders(place), [outcome.safetyPath], at);
    }
    return outcome;
  });
}

describe('Another program that changes a file during a rewind', function () {
  this.timeout(120_000);
  let calls: readonly FsCall[] = [];

  before(() =>
    withPlace(async (place) => {
      scene(place);
      const [outcome, fs] = await rewindWith(place, () => undefined);
      assert.equal(outcome.reason, null);
      ({ calls } = fs);
    }),
  );

  for (const act of ACTS) {
    it(`loses nothing, and the rewind is complete or refused: it ${act.name}`, async () => {
      // Until the files are copied, the check of the plan detects every change.
      const from = calls.findIndex(({ name, path }) => name === 'open create' && path.endsWith('.tmp'));
      let told = 0;
      for (const [at, name] of FILES.entries()) {
        for (const { index } of calls.slice(from).filter((call) => isTried(call, at))) {
          const { reason, safetyPath } = await assertNothingLost(act, name, index);
          if (reason !== null && safetyPath !== null) told += 1;
        }
      }
      // There is a moment in which only the comparison afterwards detects it.
      if (act.name !== 'deletes') assert.ok(told > 0);
    });
  }

  it('keeps what it writes even later, to a file that it had opened before', async () => {
    await withPlace(async (place) => {
      scene(place);
      const files = ['restored.txt', 'made.txt'].map((name) => openSync(join(place.cwd, name), 'a'));
      const [outcome] = await rewindWith(place, () => undefined);
      for (const [at, file] of files.entries()) {
        writeSync(file, `late ${at}\n`);
        closeSync(file);
      }
      assert.equal(outcome.reason, null);
      const kept = textsIn(join(outcome.safetyPath ?? '', 'displaced')).sort();
      assert.deepEqual(kept, ['is: made\nlate 1\n', 'is: restored\nlate 0\n']);
      // The copies from which the undo restores are other files.
      assert.equal((await rewindsWith(place).undoRewind(sessionRefOf(place.filePath))).reason, null);
      assert.equal(contentOf(join(place.cwd, 'made.txt')), BEFORE['made.txt']);
    });
  });

  it('is told of by name, keeps its file in place, and finds it in the safety copy', async () => {
    await withPlace(async (place) => {
      scene(place);
      const path = join(place.cwd, 'restored.txt');
      const [outcome] = await rewindWith(place, ({ name, path: at }) => {
        if (name !== 'rename' || !at.endsWith('-2.tmp.was') || contentOf(path) === EDIT) return;
        writeFileSync(`${path}~`, EDIT);
        renameSync(`${path}~`, path);
      });
      assert.equal(outcome.reason, 'changed-since-preview');
      assert.ok(outcome.result.error?.startsWith(`${path} changed at the last moment, so everything was put back.`));
      assert.equal(contentOf(path), EDIT);
      assert.ok(textsIn(join(outcome.safetyPath ?? '', 'displaced')).includes(EDIT));
      const state = await rewindsWith(place).rewindState(sessionRefOf(place.filePath));
      assert.equal(state.undoableMs, null);
      assert.equal((await rewindsWith(place).rewind(requestOf(place, PROMPT))).reason, null);
    });
  });

  it('may put a link or a folder in place of the file, which comes back as it is', async () => {
    for (const kind of ['link', 'folder'] as const) {
      await withPlace(async (place) => {
        scene(place);
        const path = join(place.cwd, 'made.txt');
        const aim = join(place.root, 'aim.txt');
        writeFileSync(aim, 'precious\n');
        let isDone = false;
        const [outcome] = await rewindWith(place, ({ name, path: at }) => {
          if (isDone || name !== 'rename' || !at.startsWith(place.cwd) || contentOf(path) === null) return;
          if (!at.endsWith('-1.tmp.was')) return;
          isDone = true;
          unlinkSync(path);
          if (kind === 'link') symlinkSync(aim, path);
          else writeFile(place, 'made.txt/inside.txt', 'precious\n');
        });
        assert.equal(outcome.reason, 'changed-since-preview', kind);
        assert.equal(readFileSync(kind === 'link' ? path : join(path, 'inside.txt'), 'utf8'), 'precious\n');
        assert.equal(readFileSync(aim, 'utf8'), 'precious\n');
        assert.equal(contentOf(join(place.cwd, 'restored.txt')), BEFORE['restored.txt']);
        assert.deepEqual(litterIn(place.cwd), []);
      });
    }
  });

  it('may exchange the folder for a link: what the link leads to is as it was afterwards', async () => {
    for (const [kept, call] of [
      ['was\n', 'rename'],
      ['was\n', 'link'],
      [null, 'rename'],
    ] as const) {
      await withPlace(async (place) => {
        sessionWith(place, { 'src/a.txt': backup(place, 'src/a.txt', 1, kept) });
        writeFile(place, 'src/a.txt', 'is\n');
        const [src, moved] = ['src', 'moved'].map((name) => join(place.cwd, name));
        assert.ok(src !== undefined && moved !== undefined);
        const elsewhere = join(place.root, 'elsewhere');
        mkdirSync(elsewhere);
        const precious = join(elsewhere, 'a.txt');
        writeFileSync(precious, 'precious\n');
        const [outcome] = await rewindWith(place, ({ name, path }) => {
          if (name !== call || !path.startsWith(src) || existsSync(moved)) return;
          renameSync(src, moved);
          symlinkSync(elsewhere, src);
        });
        assert.ok(existsSync(moved));
        assert.notEqual(outcome.reason, null);
        assert.equal(readFileSync(precious, 'utf8'), 'precious\n');
        assert.ok(textsLeft(place).includes('is\n'));
      });
    }
  });

  it('may exchange the folder for a link just before a file is created in it: there is none afterwards', async () => {
    await withPlace(async (place) => {
      sessionWith(place, { 'src/a.txt': backup(place, 'src/a.txt', 1, 'was\n') });
      const [src, moved, elsewhere] = ['src', 'moved', '../elsewhere'].map((name) => join(place.cwd, name));
      assert.ok(src !== undefined && moved !== undefined && elsewhere !== undefined);
      mkdirSync(src);
      mkdirSync(elsewhere);
      const [outcome] = await rewindWith(place, ({ name, path }) => {
        if (name !== 'link' || path !== join(src, 'a.txt') || existsSync(moved)) return;
        renameSync(src, moved);
        symlinkSync(elsewhere, src);
        // Where the link leads, the file that is to be put in place has the same name.
        for (const staged of readdirSync(moved)) renameSync(join(moved, staged), join(elsewhere, staged));
      });
      assert.ok(existsSync(moved));
      assert.notEqual(outcome.reason, null);
      assert.deepEqual(readdirSync(elsewhere), []);
    });
  });

  it('is not disturbed by a rewind that sees its edit in time: the file stays in its place all the time', async () => {
    await withPlace(async (place) => {
      sessionWith(place, { 'a.txt': backup(place, 'a.txt', 1, 'was\n') });
      const path = writeFile(place, 'a.txt', 'is\n');
      const fs = new FaultyFs();
      fs.beforeCall = ({ name, path: at }) => {
        const isPrepared = fs.calls.some((call) => call.name === 'open create' && call.path.endsWith('.tmp'));
        if (isPrepared && name === 'lstat' && at === path) writeFileSync(path, 'edited\n');
      };
      assert.equal((await rewindsWith(place, fs).rewind(requestOf(place, PROMPT))).reason, 'changed-since-preview');
      assert.deepEqual(
        fs.calls.filter((call) => call.name === 'rename' && call.path.endsWith('.was')),
        [],
      );
      assert.equal(readFileSync(path, 'utf8'), 'edited\n');
    });
  });

  it('loses nothing either where there are no hard links, or where the safety copies are on another disk', async () => {
    for (const code of ['EPERM', 'EXDEV']) {
      await withPlace(async (place) => {
        scene(place);
        const fs = new FaultyFs();
        fs.faultOf = ({ name, path }) => {
          const isRefused = code === 'EPERM' ? name === 'link' : name === 'rename' && path.includes('/displaced/');
          return isRefused ? { kind: 'fails', code } : null;
        };
        const outcome = await rewindsWith(place, fs).rewind(requestOf(place, PROMPT));
        assert.equal(outcome.reason, null, code);
        for (const name of FILES) assert.equal(contentOf(join(place.cwd, name)), AFTER[name]);
        assert.deepEqual(litterIn(place.cwd), []);
        assert.equal((await rewindsWith(place).undoRewind(sessionRefOf(place.filePath))).reason, null);
        for (const name of FILES) assert.equal(contentOf(join(place.cwd, name)), BEFORE[name]);
      });
    }
  });
});
