import assert from 'node:assert/strict';
import { chmodSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  clearDebris,
  fileIdentity,
  type RewriteOutcome,
  rewriteTranscript,
  type UndoOutcome,
  undoRewrite,
} from '../../rooms/storage';
import { FaultyFs, type FsCall } from './faultyFs';
import { ForeignFs, type ForeignTraits, MACOS, WINDOWS, WINDOWS_REMOVABLE } from './foreignFs';
import {
  ageLock,
  depsOn,
  namesBeside,
  repairRequest,
  row,
  type TranscriptFixture,
  withTranscriptFile,
} from './transcriptFixture';

const SYSTEMS: readonly (readonly [string, ForeignTraits])[] = [
  ['Windows', WINDOWS],
  ['a disk of Windows without links and inode numbers', WINDOWS_REMOVABLE],
  ['macOS', MACOS],
];
/** What Windows answers while another process holds the file. */
const HELD = ['EPERM', 'EBUSY'] as const;
const moves = (call: FsCall): boolean => /^(rename|link|unlink|rmdir)$/.test(call.name);
const notLive = (): Promise<void> => Promise.resolve();

async function repair({ filePath }: TranscriptFixture, fs: FaultyFs): Promise<RewriteOutcome> {
  const expected = fileIdentity(await fs.lstat(filePath));
  fs.calls.length = 0;
  return rewriteTranscript({ ...repairRequest(filePath), expected }, depsOn(fs));
}

function undo({ filePath }: TranscriptFixture, fs: FaultyFs): Promise<UndoOutcome> {
  return undoRewrite({ filePath, assertNotLive: notLive }, depsOn(fs));
}

function textOf({ filePath }: TranscriptFixture): string | null {
  return existsSync(filePath) ? readFileSync(filePath, 'utf8') : null;
}

/** Every byte that was there is at the transcript's path, in a backup, or in a file that is put back. */
function assertNothingLost(fixture: TranscriptFixture, texts: readonly string[], at: string): void {
  const kept = [textOf(fixture) ?? '', ...namesBeside(fixture).map((name) => textAt(fixture, name))];
  for (const text of texts) assert.ok(kept.includes(text), `${at}: lost ${text.slice(0, 40)}`);
}

function textAt({ folder }: TranscriptFixture, name: string): string {
  return name.endsWith('.lock') ? '' : readFileSync(join(folder, name), 'utf8');
}

for (const [system, traits] of SYSTEMS) {
  describe(`On ${system}`, function () {
    this.timeout(60_000);

    it('a transcript is repaired, and the repair is undone', () =>
      withTranscriptFile(async (fixture) => {
        const fs = new FaultyFs(new ForeignFs(traits));
        const repaired = await repair(fixture, fs);
        assert.equal(repaired.kind, 'written', 'problem' in repaired ? repaired.problem : '');
        assert.equal(textOf(fixture), fixture.repaired.toString());
        const undone = await undo(fixture, fs);
        assert.notEqual(undone.kind, 'refused');
        assert.equal(textOf(fixture), fixture.original.toString());
        assert.deepEqual(namesBeside(fixture), []);
        assert.equal(fs.openFiles, 0);
      }));

    it('a read-only transcript is repaired or refused, and stays whole', () =>
      withTranscriptFile(async (fixture) => {
        chmodSync(fixture.filePath, 0o444);
        const outcome = await repair(fixture, new FaultyFs(new ForeignFs(traits)));
        const meant = outcome.kind === 'refused' ? fixture.original : fixture.repaired;
        assert.equal(textOf(fixture), meant.toString());
        assert.deepEqual(
          namesBeside(fixture).filter((name) => name.startsWith('.')),
          [],
        );
      }));

    for (const code of HELD) {
      for (const isLasting of [false, true]) {
        const how = isLasting ? 'at a call and all later ones' : 'at a single call';
        it(`nothing is lost if another process holds a file (${code}) ${how}`, async () => {
          let calls: readonly FsCall[] = [];
          await withTranscriptFile(async (fixture) => {
            const fs = new FaultyFs(new ForeignFs(traits));
            await repair(fixture, fs);
            calls = fs.calls.filter(moves);
          });
          assert.ok(calls.length > 3);
          for (const { index, name } of calls) {
            await withTranscriptFile(async (fixture) => {
              const fs = new FaultyFs(new ForeignFs(traits));
              const expected = fileIdentity(await fs.lstat(fixture.filePath));
              fs.calls.length = 0;
              fs.faultOf = (call) =>
                moves(call) && (call.index === index || (isLasting && call.index > index))
                  ? { kind: 'fails', code }
                  : null;
              const outcome = await rewriteTranscript({ ...repairRequest(fixture.filePath), expected }, depsOn(fs));
              const at = `${name} ${index}`;
              assert.ok(fs.hit.length > 0, at);
              assertNothingLost(fixture, [fixture.original.toString()], at);
              const text = textOf(fixture);
              if (outcome.kind === 'written') assert.equal(text, fixture.repaired.toString(), at);
              else if (text !== null) assert.equal(text, fixture.original.toString(), at);
              // Once nobody holds it, the next command puts everything right.
              ageLock(fixture);
              const later = new FaultyFs(new ForeignFs(traits));
              await clearDebris(fixture.filePath, notLive, depsOn(later));
              if (textOf(fixture) === fixture.original.toString()) await repair(fixture, later);
              assert.equal(textOf(fixture), fixture.repaired.toString(), at);
              assert.deepEqual(
                namesBeside(fixture).filter((each) => !/\.jsonl\.backup-\d+$/.test(each)),
                [],
                at,
              );
            });
          }
        });
      }
    }

    const replacement = row(7, null, 'A transcript that another program has put there.').repeat(40);
    const interventions = {
      'replaced by a longer one': (path: string) => {
        writeFileSync(`${path}.other`, replacement);
        renameSync(`${path}.other`, path);
      },
      'replaced by a shorter one': (path: string) => {
        writeFileSync(`${path}.other`, row(7, null, 'Short.'));
        renameSync(`${path}.other`, path);
      },
      removed: (path: string) => {
        rmSync(path, { force: true });
      },
    };
    for (const [what, intervene] of Object.entries(interventions)) {
      it(`a transcript that is ${what} before any call is neither overwritten nor brought back`, async () => {
        let count = 0;
        await withTranscriptFile(async (fixture) => {
          const fs = new FaultyFs(new ForeignFs(traits));
          await repair(fixture, fs);
          count = fs.calls.length;
        });
        let isRefusedOnce = false;
        let unprotected = 0;
        for (let index = 0; index < count; index++) {
          await withTranscriptFile(async (fixture) => {
            const fs = new FaultyFs(new ForeignFs(traits));
            const expected = fileIdentity(await fs.lstat(fixture.filePath));
            fs.calls.length = 0;
            const request = { ...repairRequest(fixture.filePath), expected };
            /** The other program's transcript, if it has put one there. */
            const theirs: string[] = [];
            let name = '';
            fs.beforeCall = (call) => {
              if (call.index !== index) return;
              name = call.name;
              intervene(fixture.filePath);
              const text = textOf(fixture);
              if (text !== null) theirs.push(text);
            };
            const outcome = await rewriteTranscript(request, depsOn(fs));
            const at = `${name} ${index}: ${outcome.kind}`;
            // Where there are no links, the check that a path is free and the rename to it are two calls. (SECURITY.md)
            const isUnprotected = !traits.hasLinks && name === 'rename' && outcome.kind === 'written';
            if (!isUnprotected) assertNothingLost(fixture, theirs, at);
            if (what === 'removed' && outcome.kind === 'refused') assert.equal(textOf(fixture), null, at);
            isRefusedOnce ||= outcome.kind === 'refused';
            unprotected += isUnprotected ? 1 : 0;
          });
        }
        assert.ok(isRefusedOnce);
        assert.ok(unprotected <= (traits.hasLinks ? 0 : 1), `${unprotected} unprotected calls`);
      });
    }
  });
}
