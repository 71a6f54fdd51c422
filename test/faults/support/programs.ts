import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { BuiltCli } from '../../cli/spawnCli';
import { prompt, reply, transcript } from '../../support/transcriptBuilder';
import { withForkFixture } from '../../unit/history/fork/forkFixture';
import { withPlace } from '../../unit/history/rewind/rewindFixture';
import { OPERATIONS } from '../../unit/storage/operations';
import { type TranscriptFixture, withTranscriptFile } from '../../unit/storage/transcriptFixture';
import { withTemporaryFolder } from '../../support/temporaryFolder';
import { ForkStage, rowsWith } from '../operations/forks';
import { HookStage } from '../operations/hook';
import { JanitorStage } from '../operations/janitor';
import { makeRewindScene } from '../operations/rewindScene';
import { RewindStage } from '../operations/rewinds';
import { TranscriptStage } from '../operations/transcripts';
import type { NextCommand, Stage } from './operation';

const KILLER = join(__dirname, 'killAtCall.cjs');

/** One start of the command line. */
export interface Start {
  readonly args: readonly string[];
  readonly stdin?: string;
}

/** A command line in a scene of one of the operations. */
export interface Program {
  /** The operation's row in the table of counts. */
  readonly name: string;
  open(cli: InstalledCli, use: (stage: Stage, start: Start, run: RunProgram) => Promise<void>): Promise<void>;
}

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Calls that change the file system; null if it was killed. */
  readonly calls: number | null;
}

/** At which of the calls that change the file system the process ends. */
export interface Kill {
  readonly at: number;
  readonly when: 'before' | 'after';
}

export type RunProgram = (start: Start, kill?: Kill) => Promise<Ended>;

/** The built command line in a folder of its own. */
export class InstalledCli {
  private constructor(private readonly folder: string) {}

  static async install(folder: string): Promise<InstalledCli> {
    await BuiltCli.install(folder);
    return new InstalledCli(folder);
  }

  /** @param home neither the person's sessions nor their client are within its reach */
  runIn(cwd: string, home: string): RunProgram {
    return async ({ args, stdin = '' }, kill) => {
      const callsFile = join(this.folder, 'calls');
      rmSync(callsFile, { force: true });
      const killed = kill === undefined ? {} : { RETHREAD_KILL_AT: String(kill.at), RETHREAD_KILL_WHEN: kill.when };
      const child = spawn(process.execPath, ['--require', KILLER, join(this.folder, 'cli.js'), ...args], {
        cwd,
        env: {
          PATH: join(this.folder, 'bin'),
          HOME: home,
          USERPROFILE: home,
          RETHREAD_CALLS_FILE: callsFile,
          ...killed,
        },
        stdio: ['pipe', 'ignore', 'ignore'],
      });
      // A program that does not read it may have ended before.
      child.stdin.on('error', () => undefined);
      child.stdin.end(stdin);
      // SAFETY: these are the arguments of that event.
      const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
      return { code, signal, calls: signal === null ? Number(readFileSync(callsFile, 'utf8')) : null };
    };
  }
}

const BROKEN = transcript([prompt('p1', null), reply('r1', 'p1'), prompt('p2', 'lost'), reply('r2', 'p2')]);

/** A stage whose next commands are command lines. */
function withNext(stage: Stage, next: readonly [NextCommand, ...NextCommand[]]): Stage {
  return {
    next,
    reset: () => stage.reset(),
    run: (fs) => stage.run(fs),
    pieces: () => stage.pieces(),
    holders: () => stage.holders(),
    differences: () => stage.differences(),
    assertEnded: (ending, met) => stage.assertEnded(ending, met),
    age: () => {
      stage.age();
    },
    debris: () => stage.debris(),
  };
}

function nextOf(run: RunProgram, name: string, leadsTo: NextCommand['leadsTo'], start: Start): NextCommand {
  return {
    name,
    leadsTo,
    async run() {
      assert.notEqual((await run(start)).code, null);
    },
  };
}

/** A repair by the command line may mend otherwise than that of the storage tests, so it is asked first. */
async function withBrokenTranscript(
  cli: InstalledCli,
  use: (fixture: TranscriptFixture, run: RunProgram) => Promise<void>,
): Promise<void> {
  await withTranscriptFile(async ({ folder, filePath, original }) => {
    const run = cli.runIn(folder, join(folder, '..'));
    assert.equal((await run({ args: ['repair', filePath] })).code, 0);
    const repaired = readFileSync(filePath);
    assert.ok(!repaired.equals(original));
    writeFileSync(filePath, original);
    await use({ folder, filePath, original, repaired }, run);
  }, BROKEN);
}

const TRANSCRIPT_PROGRAMS: readonly Program[] = OPERATIONS.map((change) => {
  const isRepair = change.name === 'rewriteTranscript';
  return {
    name: isRepair ? 'repair' : 'undo of a repair',
    open: (cli, use) =>
      withBrokenTranscript(cli, (fixture, run) => {
        const start = { args: ['repair', fixture.filePath, ...(isRepair ? [] : ['--undo'])] };
        const stage = withNext(new TranscriptStage(change, fixture, null), [
          nextOf(run, 'once more', 'after', start),
          nextOf(run, 'a cleaning', null, { args: ['scan', '--clean', fixture.folder] }),
        ]);
        return use(stage, start, run);
      }),
  };
});

const JANITOR_PROGRAM: Program = {
  name: 'janitor',
  open: (cli, use) =>
    withBrokenTranscript(cli, (fixture, run) => {
      const start = { args: ['scan', '--clean', fixture.folder] };
      const stage = new JanitorStage(fixture, false, null);
      return use(withNext(stage, [nextOf(run, 'a cleaning', 'after', start)]), start, run);
    }),
};

const FORK_PROGRAM: Program = {
  name: 'fork',
  open(cli, use) {
    const backups = 2;
    const rows = transcript(rowsWith(backups, null));
    return withForkFixture(rows, (fixture) => {
      const run = cli.runIn(fixture.configDir, fixture.configDir);
      const start = { args: ['fork', fixture.filePath] };
      const stage = withNext(new ForkStage(fixture, Buffer.from(rows), backups, true), [
        nextOf(run, 'another fork', 'after', start),
        nextOf(run, 'a cleaning', null, { args: ['scan', '--clean', dirname(fixture.filePath)] }),
      ]);
      return use(stage, start, run);
    });
  },
};

const REWIND_PROGRAMS: readonly Program[] = (['before', 'after'] as const).map((from) => ({
  name: from === 'before' ? 'rewind' : 'undo of a rewind',
  open: (cli, use) =>
    withPlace(async (place) => {
      const scene = await makeRewindScene(place);
      const run = cli.runIn(place.cwd, place.home);
      const rewind = { args: ['rewind', place.filePath, scene.promptUuid] };
      const undo = { args: ['rewind', place.filePath, '--undo'] };
      const isRewind = from === 'before';
      const stage = withNext(new RewindStage(from, scene), [
        nextOf(run, 'an undo', isRewind ? 'before' : 'after', undo),
        nextOf(run, 'a rewind', isRewind ? 'after' : 'before', rewind),
      ]);
      await use(stage, isRewind ? rewind : undo, run);
    }),
}));

const HOOK_PROGRAM: Program = {
  name: 'hook',
  open: (cli, use) =>
    withTemporaryFolder((folder) => {
      const hook = new HookStage(folder, false, null);
      const run = cli.runIn(folder, folder);
      const start = (id: string): Start => ({ args: ['checkpoint'], stdin: hook.input(id) });
      const next = nextOf(run, 'another checkpoint', null, start('next'));
      const clean = nextOf(run, '`scan --clean`', null, { args: ['scan', '--clean', hook.configDir] });
      const stage = withNext(hook, [
        {
          name: `${next.name}, then ${clean.name}`,
          leadsTo: null,
          async run(fs) {
            hook.expectNext();
            await next.run(fs);
            await clean.run(fs);
          },
        },
      ]);
      return use(stage, start('this'), run);
    }),
};

export const PROGRAMS: readonly Program[] = [
  ...TRANSCRIPT_PROGRAMS,
  FORK_PROGRAM,
  ...REWIND_PROGRAMS,
  HOOK_PROGRAM,
  JANITOR_PROGRAM,
];
