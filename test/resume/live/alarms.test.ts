import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { installTerminal } from '../../../scripts/setupVscode.mjs';
import type { AlarmsSnapshot } from '../../../src/protocol/channels/alarms';
import { sessionRefOf } from '../../rooms/format';
import { ClientSavings, readExemption, readRetention, thisMachine } from '../../rooms/providers';
import { SessionAlarms, SessionEntries } from '../../rooms/sessions';
import { Deferred, diskSessionFiles, forEachConcurrent, systemClock } from '../../rooms/util';
import { findClient } from '../../support/findClient';
import { type MockApi, startMockApi } from '../../support/mockApi';
import { runSize } from '../../support/runSize';
import { skipWhenUnavailable } from '../../support/skipWhenUnavailable';
import { temporaryFolder } from '../../support/temporaryFolder';
import { type Cause, CAUSES, turn } from '../support/alarmCauses';
import { AlarmRun } from '../support/alarmRun';
import { LiveModel, liveReplier } from '../support/liveModel';
import { LiveSession } from '../support/liveSession';

/** How often each is caused. */
const TIMES = runSize().isFull ? 3 : 1;
const TIMEOUT_MS = 240_000;
const AT_ONCE = 4;
/** Nobody else may mount a file system. */
const isAdministrator = process.geteuid?.() === 0;
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
        const tag = `${name.replaceAll(/[^a-z]/gu, '-')}-${time}`;
        // As in a window: a client that waits for a core for so long is another client. A wrong alarm is not tried again.
        const scene = runScene(tag, cause).catch((error: unknown) => {
          if (cause.alarm === null) throw error;
          console.log(`      ${tag} failed, and is tried again: ${String(error)}`);
          return runScene(`${tag}-again`, cause);
        });
        await scene.then(run?.resolve, run?.reject);
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
