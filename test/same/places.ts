import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import fastGlob from 'fast-glob';
import { FIXTURES, listRecordings } from '../support/fixtures';
import { largeVariant } from '../support/largeVariant';
import { nearVariant } from '../support/nearVariant';
import { removeFolder } from '../support/removeFolder';

/** A temporary folder with a home and a project in it. Nothing outside is read or written. */
export interface Place {
  readonly root: string;
  readonly home: string;
  readonly cwd: string;
  readonly configDir: string;
}

/** A transcript for all commands, with the files around it. */
export interface Case {
  /** One line for reports. */
  readonly name: string;
  /** The options that select only this case. */
  readonly options: string;
  /** Determines the rows for the commands. */
  readonly seed: number;
  /** Fills the empty place. Returns the path of the transcript, and a description of its changes. */
  readonly write: (place: Place) => { readonly filePath: string; readonly history: readonly string[] };
}

/** The folder in which the sessions were recorded. */
const RECORDED_ROOT = '/home/user';
/** They take as long as forty others each; some of the random transcripts are large, too. */
const LARGE_STEP = 8;
const START_MS = Date.UTC(2026, 10, 22);

/** Empties the folder and creates the same paths in it each time. */
export function clearPlace(root: string): Place {
  removeFolder(root);
  const home = join(root, 'home');
  const place = { root, home, cwd: join(root, 'project'), configDir: join(home, '.claude') };
  for (const each of [place.cwd, join(place.configDir, 'projects')]) mkdirSync(each, { recursive: true });
  return place;
}

/** Copies a transcript into the place's project, as a session with that name. */
export function writeTranscript(place: Place, name: string, bytes: Buffer): string {
  const folder = join(place.configDir, 'projects', place.cwd.replace(/[^a-zA-Z0-9]/g, '-'));
  mkdirSync(folder, { recursive: true });
  const filePath = join(folder, name);
  writeFileSync(filePath, relocated(bytes, place));
  return filePath;
}

/** Copies a recording's whole config folder into the place. Returns the path of the transcript there. */
export function placeRecording(place: Place, recording: string): string {
  const source = join(FIXTURES, recording);
  const config = source.slice(0, source.indexOf(`${sep}projects${sep}`));
  cpSync(config, place.configDir, { recursive: true });
  for (const file of fastGlob.sync('projects/**/*.jsonl', { cwd: place.configDir, absolute: true })) {
    writeFileSync(file, relocated(readFileSync(file), place));
  }
  return join(place.configDir, source.slice(config.length + 1));
}

/** The bytes with each recorded path changed to the place. */
export function relocated(bytes: Buffer, { root }: Place): Buffer {
  return Buffer.from(bytes.toString('latin1').replaceAll(RECORDED_ROOT, root), 'latin1');
}

/**
 * Gives each file a time that depends only on its position among them, since some answers depend on which file is
 * newer.
 */
export function dateFiles({ configDir }: Place, offsetMs: (at: number) => number): void {
  const files = (readdirSync(configDir, { recursive: true }) as string[]).sort();
  for (const [at, name] of files.entries()) {
    const path = join(configDir, name);
    const seconds = (START_MS + offsetMs(at)) / 1000;
    if (!statSync(path).isDirectory()) utimesSync(path, seconds, seconds);
  }
}

/** Every transcript of `fixtures`, with the variants of the damaged ones, and files that are not transcripts. */
export function listFixtureCases(): Case[] {
  const corrupt = fastGlob.sync('corrupt/far/*/*.jsonl', { cwd: FIXTURES }).sort();
  const near = new Set(fastGlob.sync('corrupt/near/*/*.jsonl', { cwd: FIXTURES }));
  return [
    ...listRecordings().map((file) => fixtureCase(file, (place) => placeRecording(place, file))),
    ...corrupt.map((file) => fixtureCase(file, (place) => writeTranscript(place, basename(file), readFixture(file)))),
    ...corrupt.map((far) => {
      const file = far.replace('/far/', '/near/');
      return fixtureCase(file, (place) =>
        writeTranscript(place, basename(far), near.has(file) ? readFixture(file) : nearVariant(readFixture(far))),
      );
    }),
    ...corrupt
      .filter((_, at) => at % LARGE_STEP === 0)
      .map((far) =>
        fixtureCase(far.replace('/far/', '/large/'), (place) =>
          writeTranscript(place, basename(far), largeVariant(readFixture(far))),
        ),
      ),
    fixtureCase('no such file', (place) => join(place.cwd, 'missing.jsonl')),
    fixtureCase('a folder', (place) => {
      const path = join(place.configDir, 'projects', '-p', 'folder.jsonl');
      mkdirSync(path, { recursive: true });
      return path;
    }),
  ];
}

function fixtureCase(file: string, write: (place: Place) => string): Case {
  return {
    name: file,
    options: `--fixture ${file.includes(' ') ? `'${file}'` : file}`,
    seed: file.length,
    write: (place) => {
      const filePath = write(place);
      dateFiles(place, (at) => at * 1000);
      return { filePath, history: [] };
    },
  };
}

function readFixture(file: string): Buffer {
  return readFileSync(join(FIXTURES, file));
}

/** The folder of a session's subagents and large outputs. */
export function sideFolder(filePath: string): string {
  return join(dirname(filePath), basename(filePath, '.jsonl'));
}
