import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** What the client's registry says of a process. */
export interface StubRecord {
  readonly pid: number;
  readonly sessionId: string;
  /** Names of its variables that are about the client. */
  readonly inherited: readonly string[];
}

/**
 * Puts a `claude` into a folder that does what the extension sees of one: it enters itself in the registry, writes a prompt and a
 * reply, leaves the registry when it is asked to end, and says what it was started with.
 */
export async function createStubClient(bin: string): Promise<void> {
  await mkdir(bin, { recursive: true });
  await writeFile(join(bin, 'claude'), `#!${process.execPath}\n${SOURCE}`);
  await chmod(join(bin, 'claude'), 0o755);
}

/** The records in the registry, also of processes that were killed. */
export async function stubRecords(configDir: string): Promise<readonly StubRecord[]> {
  const folder = join(configDir, 'sessions');
  const names = await readdir(folder).catch(() => []);
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8').catch(() => '')));
  // SAFETY: written by the program below.
  return texts.filter((text) => text.endsWith('}')).map((text) => JSON.parse(text) as StubRecord);
}

const SOURCE = `
const { existsSync, mkdirSync, readFileSync, readlinkSync, realpathSync, rmSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const [option, id] = process.argv.slice(2);
if (option === '--version') {
  console.log('2.1.330 (Claude Code)');
  process.exit(0);
}
const inherited = Object.keys(process.env).filter((name) => name.startsWith('CLAUDE'));
console.log('STUB ' + process.argv.slice(2).join(' '));
const config = process.env.CLAUDE_CONFIG_DIR;
const machine = existsSync('/etc/machine-id') ? readFileSync('/etc/machine-id', 'utf8').trim() : '';
const stat = readFileSync('/proc/self/stat', 'utf8');
const record = {
  pid: process.pid,
  sessionId: id,
  cwd: process.cwd(),
  startedAt: Date.now(),
  procStart: stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19],
  version: '2.1.330',
  kind: 'interactive',
  entrypoint: 'cli',
  pidDomain: 'linux:' + machine + ':' + readlinkSync('/proc/self/ns/pid'),
  status: 'idle',
  statusUpdatedAt: Date.now(),
  inherited,
};
const folder = join(config, 'sessions');
mkdirSync(folder, { recursive: true });
const file = join(folder, process.pid + '.json');
const project = join(config, 'projects', realpathSync(process.cwd()).replace(/[^a-zA-Z0-9]/g, '-'));
const transcript = join(project, id + '.jsonl');
if (!existsSync(transcript)) {
  const common = { cwd: process.cwd(), sessionId: id, version: '2.1.330', isSidechain: false, userType: 'external' };
  const timestamp = new Date().toISOString();
  const rows = [
    { ...common, type: 'user', uuid: id.slice(0, -1) + '1', parentUuid: null, timestamp,
      message: { role: 'user', content: 'A question for the stub' } },
    { ...common, type: 'assistant', uuid: id.slice(0, -1) + '2', parentUuid: id.slice(0, -1) + '1', timestamp,
      message: { id: 'msg_1', type: 'message', role: 'assistant', model: 'stub', stop_reason: 'end_turn',
        content: [{ type: 'text', text: 'An answer' }], usage: { input_tokens: 1, output_tokens: 1 } } },
  ];
  mkdirSync(project, { recursive: true });
  writeFileSync(transcript, rows.map((row) => JSON.stringify(row) + '\\n').join(''));
}
writeFileSync(file, JSON.stringify(record));
for (const signal of ['SIGHUP', 'SIGTERM', 'SIGINT']) {
  process.on(signal, () => {
    rmSync(file, { force: true });
    process.exit(0);
  });
}
setInterval(() => undefined, 1000);
`;
