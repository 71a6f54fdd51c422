import type {
  FolderProblem,
  ProjectSummary,
  ScanPhase,
  SessionsSnapshot,
  SessionsUpdate,
} from '../../protocol/channels/sessions';
import { MergedSessions } from './mergedSessions';
import { NO_SESSIONS } from './sessionsState';

/**
 * Merges the updates about all config folders. Those of one folder change nothing of another. A snapshot and its projects stay the
 * same objects as long as nothing changes.
 */
export class MergedFolders {
  readonly #folders = new Map<string, MergedSessions>();
  #parts: readonly SessionsSnapshot[] = [];
  #snapshot = NO_SESSIONS;

  apply(update: SessionsUpdate): void {
    const folder = this.#folders.get(update.configDir) ?? new MergedSessions();
    this.#folders.set(update.configDir, folder);
    folder.apply(update);
  }

  /** The sessions of some config folders, the main one first. Folders without updates have none. */
  of(configDirs: readonly string[]): SessionsSnapshot {
    const parts = configDirs.map((configDir) => this.#folders.get(configDir)?.of(configDir) ?? NO_SESSIONS);
    const isSame = parts.length === this.#parts.length && parts.every((part, at) => part === this.#parts[at]);
    if (isSame) return this.#snapshot;
    this.#parts = parts;
    this.#snapshot = merge(parts, configDirs, this.#snapshot.projects);
    return this.#snapshot;
  }
}

function merge(
  parts: readonly SessionsSnapshot[],
  configDirs: readonly string[],
  before: SessionsSnapshot['projects'],
): SessionsSnapshot {
  const [main, ...extra] = parts;
  if (main === undefined || extra.length === 0) return main ?? NO_SESSIONS;
  const projects = inTreeOrder(
    main.projects,
    extra.flatMap((part) => part.projects),
  );
  const isSame = projects.length === before.length && projects.every((project, at) => project === before[at]);
  return {
    ...main,
    revision: Math.max(...parts.map(({ revision }) => revision)),
    phase: mergePhases(parts.map(({ phase }) => phase)),
    projects: isSame ? before : projects,
    extraProblems: extra.flatMap(({ problem, isFolderMissing }, at): FolderProblem[] => {
      const configDir = configDirs[at + 1] ?? '';
      return problem !== null || isFolderMissing ? [{ configDir, problem }] : [];
    }),
  };
}

/** Projects of open folders first, those of one folder side by side; then the others, the latest activity first. */
function inTreeOrder(main: readonly ProjectSummary[], extra: readonly ProjectSummary[]): readonly ProjectSummary[] {
  const ofWindow = main.filter(({ inWorkspace }) => inWorkspace);
  for (const project of extra.filter(({ inWorkspace }) => inWorkspace)) {
    const namesake = ofWindow.findLastIndex(({ cwd }) => cwd === project.cwd);
    ofWindow.splice(namesake < 0 ? ofWindow.length : namesake + 1, 0, project);
  }
  const activityMs = ({ sessions }: ProjectSummary): number => sessions[0]?.activityMs ?? 0;
  const others = [...main, ...extra].filter(({ inWorkspace }) => !inWorkspace);
  return [...ofWindow, ...others.sort((a, b) => activityMs(b) - activityMs(a))];
}

function mergePhases(phases: readonly ScanPhase[]): ScanPhase {
  const scanning = phases.filter((phase) => phase.kind === 'scanning');
  if (scanning.length > 0) {
    const sum = (of: (phase: (typeof scanning)[number]) => number): number =>
      scanning.reduce((total, phase) => total + of(phase), 0);
    return { kind: 'scanning', done: sum(({ done }) => done), total: sum(({ total }) => total) };
  }
  return phases.find(({ kind }) => kind === 'discovering') ?? { kind: 'idle' };
}
