import { lstat, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Engine } from '../core/engine';
import { projectsFolderOf } from '../core/providers/claude/format/paths';
import { countOf } from '../core/util/countOf';
import { isSessionId } from '../protocol/session';
import { InputError } from './command';
import type { CommandContext } from './context';
import { shortenHome } from './report/text';

/** The first part of a session id, as reports print it. */
const ID_START = /^[0-9a-f]{8}$/iu;
/** Number of paths named in one sentence. */
const MAX_NAMED = 2;

/**
 * The transcript that a FILE means: a path, a session id, or its first eight letters. A path that exists always counts as
 * one; so does any other text that is no id, and whoever reads it says what is wrong. Ids are looked up in the config
 * folder by the names of the transcripts alone: a hundred thousand of them are neither opened nor asked for their state.
 *
 * @param file as the person entered it
 * @returns an absolute path
 * @throws InputError if no session, or more than one, has the id
 */
export async function resolveFile(
  { environment, configDir }: Pick<CommandContext, 'environment' | 'configDir'>,
  file: string,
  engine: Pick<Engine, 'findBatches'>,
): Promise<string> {
  const path = resolve(environment.cwd, file);
  if (!(isSessionId(file) || ID_START.test(file)) || (await exists(path))) return path;
  const found = await transcriptsOfSession(file, configDir, engine);
  const [first] = found.paths;
  if (first !== undefined && found.paths.length === 1) return first;
  const short = (filePath: string): string => shortenHome(filePath, environment.home);
  if (first === undefined) {
    const folder = short(projectsFolderOf(configDir));
    const unread = found.unread === 0 ? '' : `, where ${countOf(found.unread, 'folder')} could not be read`;
    throw new InputError(`There is neither a file ${file} nor a session with this id in ${folder}${unread}.`);
  }
  const named = found.paths.slice(0, MAX_NAMED).map(short);
  const more = found.paths.length - named.length;
  const all = more === 0 ? named.join(' and ') : `${named.join(', ')} and ${more} more`;
  throw new InputError(`${countOf(found.paths.length, 'session')} have the id ${file}: ${all}. Give the path of one.`);
}

interface FoundTranscripts {
  readonly paths: readonly string[];
  /** Number of project folders that could not be read. */
  readonly unread: number;
}

/**
 * The transcripts of the sessions in a config folder whose id starts like this. Looks at names alone.
 *
 * @param idOrStart a session id or its first letters, in upper or lower case
 */
export async function transcriptsOfSession(
  idOrStart: string,
  configDir: string,
  engine: Pick<Engine, 'findBatches'>,
): Promise<FoundTranscripts> {
  const projects = projectsFolderOf(configDir);
  const wanted = idOrStart.toLowerCase();
  const paths: string[] = [];
  let unread = 0;
  // Without projects, the engine would look for transcripts anywhere below the folder.
  if (!(await isFolder(projects))) return { paths, unread };
  for await (const batch of engine.findBatches([configDir])) {
    for (const { id, path, projectFolder, isProjectFolder } of batch) {
      if (dirname(projectFolder) !== projects) continue;
      if (isProjectFolder === true) unread++;
      else if (id.toLowerCase().startsWith(wanted)) paths.push(path);
    }
  }
  return { paths, unread };
}

/** Whatever it is: a path that cannot be examined is one all the same. */
async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    (error: unknown) => !(error instanceof Error && 'code' in error && error.code === 'ENOENT'),
  );
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
