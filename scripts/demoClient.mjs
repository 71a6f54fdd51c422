// @ts-check
// A process that looks like a running Claude Code to those who read a config folder: it stands in the registry of running
// clients, and one of its kinds goes on writing. `npm start` starts it for its demo, and it ends with its parent.
import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DEMO_CWD, DemoTranscript } from './demoTranscript.mjs';

const STATIONS = ['Harbour', 'Hill', 'Lighthouse', 'Mill', 'Pier', 'School', 'Ferry', 'Quarry'];
/** With the usual pause, about an hour of work; then the session rests. */
const ROUNDS = 25;

/** @typedef {'working' | 'waiting'} DemoWork */

/** @type {Readonly<Record<DemoWork, { title: string, sessionId: string }>>} */
const SESSIONS = {
  working: { title: 'Calibrate the stations', sessionId: 'ca11b4a7-0000-4000-8000-0000000000a1' },
  waiting: { title: 'Tidy up old branches', sessionId: 'ba77e4f5-0000-4000-8000-0000000000a2' },
};

/** A transcript that is on the disk as far as it was told. */
class RunningSession {
  talk;
  #session;
  #path;
  #cwd;
  #written = 0;

  /**
   * @param {string} configDir
   * @param {string} cwd
   * @param {DemoWork} work
   */
  constructor(configDir, cwd, work) {
    const folder = join(configDir, 'projects', cwd.replace(/[^a-zA-Z0-9]/g, '-'));
    mkdirSync(folder, { recursive: true });
    this.talk = new DemoTranscript(work);
    this.#session = SESSIONS[work];
    this.#path = join(folder, `${this.#session.sessionId}.jsonl`);
    this.#cwd = cwd;
    const { title, sessionId } = this.#session;
    this.#append([{ type: 'custom-title', customTitle: title, sessionId }]);
  }

  get sessionId() {
    return this.#session.sessionId;
  }

  /** Writes what was told since. */
  write() {
    const { rows } = this.talk;
    const own = { sessionId: this.#session.sessionId, cwd: this.#cwd, timestamp: new Date().toISOString() };
    this.#append(rows.slice(this.#written).map((row) => ({ ...row, ...own })));
    this.#written = rows.length;
  }

  /** @param {object[]} rows */
  #append(rows) {
    const text = rows.map((row) => `${JSON.stringify(row)}\n`).join('');
    appendFileSync(this.#path, text.replaceAll(JSON.stringify(DEMO_CWD), JSON.stringify(this.#cwd)), { mode: 0o600 });
  }
}

/**
 * Yields after each step that a reader can see.
 * @param {DemoTranscript} talk
 */
function* calibration(talk) {
  for (let round = 1; round <= ROUNDS; round++) {
    talk.prompt(
      round === 1 ? 'Calibrate the wind sensors of all stations, one after the other.' : 'Once more, please.',
    );
    talk.call('TodoWrite', todos(0), { content: 'Todos have been modified successfully.' });
    yield;
    for (const [at, station] of STATIONS.entries()) {
      const command = `node scripts/calibrate.js --station ${station.toLowerCase()}`;
      const call = talk.call('Bash', { command, description: `Calibrate the station “${station}”` });
      yield;
      const offBy = ((round * 7 + at * 5) % 9) / 10;
      talk.answer(call, { content: `${station}: off by ${offBy.toFixed(1)} m/s, corrected` });
      talk.reply(`The station “${station}” was off by **${offBy.toFixed(1)} m/s**, and is corrected.`);
      yield;
      talk.call('TodoWrite', todos(at + 1), { content: 'Todos have been modified successfully.' });
      yield;
    }
    talk.reply(`All ${STATIONS.length} stations are calibrated.`);
    yield;
  }
}

/** @param {number} done  how many stations are calibrated */
function todos(done) {
  const status = (/** @type {number} */ at) => (at < done ? 'completed' : at === done ? 'in_progress' : 'pending');
  return {
    todos: STATIONS.map((station, at) => ({
      content: `Calibrate ${station}`,
      status: status(at),
      activeForm: `Calibrating ${station}`,
    })),
  };
}

/** @param {DemoTranscript} talk */
function askForApproval(talk) {
  talk.prompt('Which branches were merged already? Delete those.');
  talk.call(
    'Bash',
    { command: 'git branch --merged main', description: 'List merged branches' },
    { content: '  wind-map\n  year-of-readings\n* main' },
  );
  talk.reply('Two branches were merged: `wind-map` and `year-of-readings`.');
  talk.call('Bash', { command: 'git branch -d wind-map year-of-readings', description: 'Delete merged branches' });
}

/** When this process started, as Linux counts it; elsewhere the registry does without. */
function processStart() {
  if (process.platform !== 'linux') return undefined;
  const stat = readFileSync('/proc/self/stat', 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
}

/**
 * @param {string} configDir
 * @param {string} cwd
 * @param {DemoWork} work
 * @param {number} pauseMs  between two steps
 */
function run(configDir, cwd, work, pauseMs) {
  const session = new RunningSession(configDir, cwd, work);
  const registry = join(configDir, 'sessions');
  const recordPath = join(registry, `${process.pid}.json`);
  const startedAt = Date.now();
  mkdirSync(registry, { recursive: true });
  /**
   * @param {string} status
   * @param {string} [waitingFor]
   */
  const record = (status, waitingFor) => {
    const client = { pid: process.pid, procStart: processStart(), kind: 'interactive', entrypoint: 'cli', startedAt };
    const now = Date.now();
    const state = { status, waitingFor, updatedAt: now, statusUpdatedAt: now };
    const { sessionId } = session;
    writeFileSync(recordPath, JSON.stringify({ ...client, sessionId, cwd, version: '2.1.330', ...state }));
  };
  const end = () => {
    rmSync(recordPath, { force: true });
    process.exit();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, end);
  // The parent holds the other end, so that this one closes even if the parent is killed.
  process.stdin.on('close', end).resume();

  if (work === 'waiting') {
    askForApproval(session.talk);
    session.write();
    record('waiting', 'permission prompt');
    return;
  }
  const steps = calibration(session.talk);
  const next = () => {
    const isDone = steps.next().done === true;
    session.write();
    if (!isDone) return;
    clearInterval(timer);
    record('idle');
  };
  const timer = setInterval(next, pauseMs);
  next();
  record('busy');
}

const [configDir, cwd, work, pauseMs] = process.argv.slice(2);
if (configDir === undefined || cwd === undefined)
  throw new Error('Failed to start: no config folder or no project named');
run(configDir, cwd, work === 'waiting' ? 'waiting' : 'working', Number(pauseMs));
