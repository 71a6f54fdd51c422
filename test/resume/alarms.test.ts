import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { installTerminal } from '../../scripts/setupVscode.mjs';
import type { AlarmsSnapshot } from '../../src/protocol/channels/alarms';
import { sessionRefOf } from '../rooms/format';
import { ClientSavings, readExemption, readRetention, thisMachine } from '../rooms/providers';
import { SessionAlarms, SessionEntries } from '../rooms/sessions';
import { Deferred, diskSessionFiles, forEachConcurrent, systemClock } from '../rooms/util';
import { findClient } from '../support/findClient';
import { type MockApi, startMockApi } from '../support/mockApi';
import { runSize } from '../support/runSize';
import { skipWhenUnavailable } from '../support/skipWhenUnavailable';
import { temporaryFolder } from '../support/temporaryFolder';
import { AlarmRun } from './support/alarmRun';
import { LiveModel, liveReplier } from './support/liveModel';
import { gate, LiveSession } from './support/liveSession';
import type { TerminalClient } from './support/terminalClient';

/** How often each is caused. */
const TIMES = runSize().isFull ? 3 : 1;
const TIMEOUT_MS = 240_000;
const AT_ONCE = 4;
/** Nobody else may mount a file system. */
const isAdministrator = process.geteuid?.() === 0;
/** Longer than the time after which missing rows are reported. */
const CALM_MS = 14_000;
/** Runs commands without asking. */
const BYPASSING = ['--permission-mode', 'acceptEdits', '--allowedTools', 'Bash'];

interface Scene {
  readonly live: LiveSession;
  readonly configDir: string;
  readonly run: AlarmRun;
}

interface Cause {
  /** The alarm that it raises; null if it is part of healthy work. */
  readonly alarm: string | null;
  /** Needs the rights to mount a file system. */
  readonly isMount?: boolean;
  readonly reach: (scene: Scene) => Promise<void>;
}

async function turn(live: LiveSession, terminal: TerminalClient, words = 'Go on.'): Promise<void> {
  const answer = `Answered ${words}`;
  live.model.script([live.model.say(answer)]);
  await terminal.type(words);
  await live.wrote(answer);
  await terminal.status('idle');
}

/** A prompt whose answer is not written. */
async function lostTurn({ live, run }: Scene, terminal: TerminalClient): Promise<void> {
  run.cause();
  live.model.script([live.model.say('It is lost.')]);
  await terminal.type('Is it saved?');
  await terminal.shows('It is lost.');
}

const CAUSES: Readonly<Record<string, Cause>> = {
  'its disk is full': {
    alarm: 'full-disk',
    isMount: true,
    reach: async (scene) => {
      const terminal = await scene.live.startTerminal();
      await turn(scene.live, terminal);
      await writeFile(join(scene.configDir, 'projects', 'filler'), Buffer.alloc(8 << 20)).catch(() => undefined);
      await delay(1_500);
      await lostTurn(scene, terminal);
    },
  },
  'its folder becomes read-only': {
    alarm: 'read-only',
    isMount: true,
    reach: async (scene) => {
      const terminal = await scene.live.startTerminal();
      await turn(scene.live, terminal);
      execFileSync('mount', ['-o', 'remount,ro', join(scene.configDir, 'projects')]);
      await delay(1_500);
      await lostTurn(scene, terminal);
    },
  },
  'it inherits the variable of another client': {
    alarm: 'inherited',
    reach: async (scene) => {
      scene.run.cause();
      const terminal = await scene.live.startTerminal(BYPASSING, ['CLAUDE_CODE_CHILD_SESSION=1']);
      await lostTurn(scene, terminal);
    },
  },
  'its transcript is deleted while it waits': {
    alarm: 'deleted',
    reach: async ({ live, run }) => {
      await turn(live, await live.startTerminal());
      await delay(1_500);
      const [path = ''] = await live.transcripts();
      run.cause();
      await rm(path);
    },
  },
  'its transcript is deleted and begun anew': {
    alarm: 'deleted',
    reach: async ({ live, run }) => {
      const terminal = await live.startTerminal(BYPASSING);
      live.model.script([live.model.bash('seq 1 20000')]);
      await turn(live, terminal);
      await turn(live, terminal, 'And again.');
      await delay(1_500);
      const [path = ''] = await live.transcripts();
      run.cause();
      await rm(path);
      await turn(live, terminal, 'Is it saved?');
    },
  },
  'another client resumes it': {
    alarm: 'two-writers',
    reach: async ({ live, run }) => {
      await turn(live, await live.startTerminal());
      const [path = ''] = await live.transcripts();
      run.cause();
      await live.start({ args: ['--resume', basename(path, '.jsonl')] }).prompt();
    },
  },
  'it does nothing else than a person may want': {
    alarm: null,
    reach: async ({ live }) => {
      const terminal = await live.startTerminal(BYPASSING);
      await delay(2_000);
      await turn(live, terminal);
      for (const dialog of ['/status', '/model', '/help']) {
        await terminal.type(dialog);
        await delay(2_500);
        await terminal.press('Escape');
        await delay(500);
      }
      await terminal.type('/context');
      await delay(CALM_MS);
      await terminal.type('!sleep 4; echo it slept');
      await delay(6_000);
      const held = gate();
      live.model.script({ content: [live.model.say()], until: held.opened });
      await terminal.type('/btw Why?');
      await delay(CALM_MS);
      held.open();
      await delay(500);
      await terminal.press('Escape');
      await delay(500);
      live.model.script({ content: [live.model.say()], until: gate().opened });
      await terminal.type('This prompt is interrupted.');
      await delay(3_000);
      await terminal.press('Escape');
      await delay(CALM_MS);
      await terminal.press('C-u');
      await turn(live, terminal, 'After the interruption.');
      await terminal.type('/clear');
      await delay(1_500);
      await turn(live, terminal, 'A session of its own.');
      await delay(CALM_MS);
      await terminal.exit();
    },
  },
  'it summarises its history slowly': {
    alarm: null,
    reach: async ({ live }) => {
      const terminal = await live.startTerminal();
      await turn(live, terminal);
      await turn(live, terminal, 'And again.');
      const held = gate();
      const summary = { type: 'text', text: '<summary>\nWhat was said.\n</summary>' } as const;
      live.model.scriptSummary({ content: [summary], until: held.opened });
      await terminal.type('/compact');
      await delay(CALM_MS);
      held.open();
      await delay(2_000);
      live.model.scriptSummary({ content: [summary], until: gate().opened });
      await terminal.type('/compact');
      await delay(4_000);
      await terminal.press('Escape');
      await delay(CALM_MS);
    },
  },
  'its calls and answers take long': {
    alarm: null,
    reach: async ({ live }) => {
      const terminal = await live.startTerminal(BYPASSING);
      const command = live.endlessCommand();
      const { model } = live;
      model.script(
        [model.bash('seq 1 20000'), command.call],
        [model.call('Write', { file_path: join(live.cwd, 'a.txt'), content: 'x' })],
      );
      await terminal.type('Go on.');
      await command.started();
      await delay(CALM_MS);
      await command.end();
      await terminal.status('idle');
      const held = gate();
      model.script({ content: [model.say()], until: held.opened });
      await terminal.type('Think about it.');
      await delay(CALM_MS);
      held.open();
      await terminal.status('idle');
      model.script([model.call('Bash', { command: 'touch x', description: 'touch' })]);
      const background = live.endlessCommand({ run_in_background: true });
      model.script([background.call]);
      await terminal.type('Start it.');
      await background.started();
      await delay(CALM_MS);
    },
  },
  'it waits for an approval': {
    alarm: null,
    reach: async ({ live }) => {
      const terminal = await live.startTerminal();
      live.model.script([live.model.call('Write', { file_path: join(live.cwd, 'a.txt'), content: 'x' })]);
      await terminal.type('Write it.');
      await terminal.status('waiting');
      await delay(CALM_MS);
      await terminal.press('Enter');
      await terminal.status('idle');
      await delay(CALM_MS);
    },
  },
  'a subagent works for it': {
    alarm: null,
    reach: async ({ live }) => {
      const terminal = await live.startTerminal(BYPASSING);
      const { model } = live;
      const command = live.endlessCommand();
      model.scriptAgent(
        'Look into it',
        [model.bash('seq 1 20000')],
        [model.call('Write', { file_path: join(live.cwd, 'b.txt'), content: 'x' })],
        [command.call],
      );
      model.script([
        model.call('Agent', { description: 'look', prompt: 'Look into it', subagent_type: 'general-purpose' }),
      ]);
      await terminal.type('Ask an agent.');
      await command.started();
      await delay(CALM_MS);
      await command.end();
      await terminal.status('idle');
      await delay(CALM_MS);
    },
  },
  'a program drives and resumes it': {
    alarm: null,
    reach: async ({ live }) => {
      const client = live.start();
      await client.prompt();
      live.model.script({ content: [live.model.say(), live.model.say()], until: gate().opened });
      client.post();
      await client.replied();
      await delay(CALM_MS);
      await client.interrupt();
      await delay(CALM_MS);
      await client.close();
      const resumed = live.resume(client);
      await resumed.prompt();
      await delay(CALM_MS);
      await resumed.kill();
    },
  },
  'a program asked to save nothing': {
    alarm: null,
    reach: async ({ live }) => {
      const client = live.start({ args: ['--no-session-persistence'] });
      live.model.script({ content: [live.model.say(), live.model.say()], until: gate().opened });
      client.post();
      await client.replied();
      await delay(CALM_MS);
    },
  },
};

function agedSession(configDir: string, id: string, days: number): string {
  const path = join(configDir, 'projects', '-other', `${id}.jsonl`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify({ type: 'user', sessionId: id, message: { role: 'user', content: 'x' } })}\n`);
  const at = Date.now() / 1000 - days * 86_400;
  utimesSync(path, at, at);
  return path;
}

describe('An alarm about a session of the real client', () => {
  let client = '';
  let api: MockApi;
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  const models = new Map<string, LiveModel>();
  const mounts: string[] = [];
  const rows: string[] = [];
  let healthyLooks = 0;
  let wrong = 0;

  before(async function () {
    this.timeout(600_000);
    client = await skipWhenUnavailable(this, findClient);
    await skipWhenUnavailable(this, installTerminal);
    api = await startMockApi(liveReplier(models));
    folder = await temporaryFolder();
  });

  after(async () => {
    for (const path of mounts) execFileSync('umount', ['--lazy', path]);
    await api.close();
    folder.remove();
    for (const row of rows) console.log(`      ${row}`);
    console.log(`      healthy runs: ${healthyLooks} looks, ${wrong} wrong alarms`);
  });

  async function runScene(tag: string, { alarm, isMount = false, reach }: Cause): Promise<readonly string[]> {
    let number = 0;
    const numbered = (words: string): string => `[${++number}] ${words}`;
    const model = new LiveModel(numbered);
    models.set(tag, model);
    const root = join(folder.path, tag);
    const live = new LiveSession(client, root, api.urlFor(tag), model, numbered);
    await live.prepare();
    const configDir = join(root, 'home', '.claude');
    if (isMount) {
      const projects = join(configDir, 'projects');
      await mkdir(projects, { recursive: true });
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'none', projects]);
      mounts.push(projects);
    }
    const run = new AlarmRun(configDir);
    try {
      await reach({ live, configDir, run });
      if (alarm !== null) rows.push(`${alarm}: ${tag}: told after ${(await run.says(alarm)).toFixed(1)} s`);
      else healthyLooks += run.looks;
      return [...run.told.keys()];
    } finally {
      await run.end();
      await live.close();
    }
  }

  /** Several at once: they mostly wait. */
  describe('that was or was not caused', () => {
    const runs = new Map<string, Deferred<readonly string[]>>();

    before(() => {
      const possible = Object.entries(CAUSES).filter(([, { isMount }]) => isMount !== true || isAdministrator);
      const times = Array.from({ length: TIMES }, (_, time) => time);
      const all = possible.flatMap(([name, cause]) => times.map((time) => ({ name, cause, time })));
      for (const { name, time } of all) runs.set(`${name} ${time}`, new Deferred());
      void forEachConcurrent(all, AT_ONCE, async ({ name, cause, time }) => {
        const run = runs.get(`${name} ${time}`);
        // Its test reports a failure.
        run?.promise.catch(() => undefined);
        await runScene(`${name.replaceAll(/[^a-z]/gu, '-')}-${time}`, cause).then(run?.resolve, run?.reject);
      });
    });

    for (const [name, { alarm, isMount = false }] of Object.entries(CAUSES)) {
      it(`${alarm === null ? 'is not given' : `says ${alarm}`} if ${name}`, async function () {
        this.timeout(TIMES * TIMEOUT_MS);
        if (isMount && !isAdministrator) this.skip();
        for (let time = 0; time < TIMES; time++) {
          const told = await runs.get(`${name} ${time}`)?.promise;
          if (alarm === null) wrong += told?.length ?? 0;
          assert.deepEqual(told, alarm === null ? [] : [alarm]);
        }
      });
    }
  });

  it('says which sessions are due, and why, before the real client deletes them', async function () {
    this.timeout(TIMEOUT_MS);
    const model = new LiveModel((words) => words);
    models.set('sweep', model);
    const live = new LiveSession(client, join(folder.path, 'sweep'), api.urlFor('sweep'), model, (words) => words);
    await live.prepare();
    await live.settings({ cleanupPeriodDays: 5 });
    const configDir = join(folder.path, 'sweep', 'home', '.claude');
    const [aged, young] = [10, 1].map((days, at) =>
      agedSession(configDir, `${at}1111111-1111-4111-8111-111111111111`, days),
    );
    const entries = new SessionEntries();
    for (const path of [aged ?? '', young ?? '']) {
      const found = { ...sessionRefOf(path), projectFolder: dirname(path) };
      const stamp = diskSessionFiles.stampNow(path);
      entries.set({ found, stamp, scan: null, quickMetadata: null, isOutdated: false, hasBackup: false });
    }
    const sent: AlarmsSnapshot[] = [];
    const alarms = new SessionAlarms({
      configDir,
      entries,
      files: diskSessionFiles,
      clock: systemClock,
      workspaceFolders: () => [
        { path: '/other', realPath: '/other', projectName: '-other' },
        { path: live.cwd, realPath: live.cwd, projectName: '-project' },
      ],
      cacheDir: null,
      nextRevision: () => 1,
      log: (_level, message) => assert.fail(message),
      homeDir: join(folder.path, 'sweep', 'home'),
      savings: new ClientSavings({ configDir, machine: thisMachine(), now: Date.now }),
      readRetention: (projectFolders) => readRetention({ configDir, projectFolders }),
      readExemption,
      send: (snapshot) => void sent.push(snapshot),
    });
    const beganMs = Date.now();
    await alarms.look();
    rows.push(`expiring, short-retention: told after ${((Date.now() - beganMs) / 1000).toFixed(1)} s`);
    const settingsPath = join(live.cwd, '.claude', 'settings.json');
    assert.deepEqual(
      sent
        .at(-1)
        ?.alarms.map((alarm) => [
          alarm.kind,
          alarm.kind === 'expiring' ? alarm.sessions.map(({ path }) => path) : null,
          'period' in alarm ? alarm.period : null,
        ]),
      [
        ['expiring', [aged], { days: 5, settingsPath }],
        ['short-retention', null, { days: 5, settingsPath }],
      ],
    );
    try {
      const running = live.start();
      await running.prompt();
      while (existsSync(aged ?? '')) await delay(100);
      assert.ok(existsSync(young ?? ''));
    } finally {
      await live.close();
    }
  });

  it('leads to nothing lost: the client still has what it could not write, and exports it', async function () {
    this.timeout(TIMEOUT_MS);
    const number = (words: string): string => words;
    const model = new LiveModel(number);
    models.set('export', model);
    const live = new LiveSession(client, join(folder.path, 'export'), api.urlFor('export'), model, number);
    await live.prepare();
    try {
      const terminal = await live.startTerminal();
      await turn(live, terminal, 'Remember the word heliotrope.');
      const [path = ''] = await live.transcripts();
      await rm(path);
      await terminal.type('/export saved.txt');
      for (;;) {
        const text = await readFile(join(live.cwd, 'saved.txt'), 'utf8').catch(() => '');
        if (text.includes('heliotrope')) break;
        await delay(100);
      }
    } finally {
      await live.close();
    }
  });
});
