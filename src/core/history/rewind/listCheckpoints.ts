import type { Checkpoint } from '../../../protocol/history';
import type { WriteFs } from '../../storage/writeFs';
import { allowedFolders } from './allowedFolders';
import { type FilePlan, planFile } from './filePlan';
import { MAX_SNAPSHOTS } from './foldHistory';
import type { OwnCheckpoint } from './ownCheckpoints';
import { isChange, type PlanDeps } from './planRewind';
import type { PromptChain } from './promptChains';
import type { PromptInfo, SessionHistory } from './sessionHistory';
import { type Wanted, type WantedFile, wantedFiles } from './wantedFiles';

/** Maximum number of branches that are examined, because the file history of each is folded separately. */
const MAX_BRANCHES = 100;

export interface ListDeps extends Pick<PlanDeps, 'history' | 'own' | 'known' | 'backupFolder' | 'fs'> {
  /**
   * Null for the folder that the transcript names. That is good enough to show what differs, and nothing else: it says
   * nothing about what may be changed.
   */
  readonly roots: readonly string[] | null;
}

/**
 * The checkpoints of a session, oldest first, with the changes that a rewind to each would make now. Rejects only if
 * the disk fails.
 */
export async function listCheckpoints(deps: ListDeps): Promise<readonly Checkpoint[]> {
  const { history, backupFolder } = deps;
  const own = deps.own ?? [];
  const roots = deps.roots ?? (history.cwd === null ? [] : [history.cwd]);
  const plans = new FilePlanCache(await allowedFolders(roots, deps.known, deps.fs), deps.fs);
  const listed: { readonly checkpoint: Checkpoint; readonly order: number }[] = [];
  for (const { promptUuid, chain, prompt, isEvicted } of findPrompts(history, own)) {
    const wanted = isEvicted ? null : wantedFiles(history, chain, promptUuid, own, backupFolder);
    if (wanted === null && !isEvicted) continue;
    const checkpoint = await describe(promptUuid, prompt, wanted, plans);
    listed.push({ checkpoint, order: prompt?.row ?? Infinity });
  }
  return listed.sort((a, b) => a.order - b.order).map(({ checkpoint }) => checkpoint);
}

interface FoundPrompt {
  readonly promptUuid: string;
  readonly chain: PromptChain;
  readonly prompt: PromptInfo | null;
  readonly isEvicted: boolean;
}

/** Every prompt with a checkpoint: first on the resumed chain, then before its compactions, then on other branches. */
function findPrompts(history: SessionHistory, own: readonly OwnCheckpoint[]): readonly FoundPrompt[] {
  const found = new Map<string, FoundPrompt>();
  const addChain = (chain: PromptChain): void => {
    const { snapshots, evicted } = history.fold(chain);
    for (const promptUuid of new Set([...evicted, ...snapshots.map(({ promptId }) => promptId)])) {
      if (found.has(promptUuid)) continue;
      found.set(promptUuid, {
        promptUuid,
        chain,
        prompt: history.prompt(promptUuid),
        isEvicted: evicted.has(promptUuid),
      });
    }
  };
  const { chains, index } = history;
  addChain(chains.resumed);
  addChain(chains.compacted);
  let branches = 0;
  const named = new Set([
    ...[...index.snapshots.values()].map(({ promptId }) => promptId),
    ...[...index.deltas.values()].flat().map(({ promptId }) => promptId),
  ]);
  for (const promptUuid of named) {
    const prompt = found.has(promptUuid) ? null : history.prompt(promptUuid);
    if (prompt === null || branches === MAX_BRANCHES) continue;
    branches++;
    addChain(chains.of(prompt.row));
  }
  for (const { promptUuid } of own) {
    if (promptUuid === null) continue;
    const known = found.get(promptUuid);
    if (known !== undefined && !known.isEvicted) continue;
    const prompt = history.prompt(promptUuid);
    const chain = prompt === null ? chains.resumed : chains.of(prompt.row);
    found.set(promptUuid, { promptUuid, chain, prompt, isEvicted: false });
  }
  return [...found.values()];
}

async function describe(
  promptUuid: string,
  prompt: PromptInfo | null,
  wanted: Wanted | null,
  plans: FilePlanCache,
): Promise<Checkpoint> {
  const filesChanged: string[] = [];
  let insertions = 0;
  let deletions = 0;
  for (const file of wanted?.files ?? []) {
    const { planned, isCounted } = await plans.at(file);
    if (!isChange(planned)) continue;
    insertions += planned.insertions;
    deletions += planned.deletions;
    if (isCounted) filesChanged.push(planned.path);
  }
  return {
    kind: wanted?.kind ?? 'client',
    promptUuid,
    line: prompt?.line ?? null,
    prompt: prompt?.words ?? '',
    timeMs: wanted?.timeMs ?? prompt?.timeMs ?? null,
    filesChanged,
    insertions,
    deletions,
    filesTracked: wanted?.files.length ?? 0,
    problem: wanted === null ? `Claude Code keeps ${MAX_SNAPSHOTS} checkpoints of a session; this one is gone.` : null,
  };
}

/** Most checkpoints need the same state of a file as the previous one, so each state is inspected once. */
class FilePlanCache {
  readonly #known = new Map<string, FilePlan>();

  constructor(
    private readonly allowed: Parameters<typeof planFile>[1],
    private readonly fs: Pick<WriteFs, 'open' | 'lstat' | 'realpath' | 'accessToWrite'>,
  ) {}

  async at(file: WantedFile): Promise<FilePlan> {
    const key = JSON.stringify([file.path, file.state, file.realFolder]);
    const known = this.#known.get(key) ?? (await planFile(file, this.allowed, this.fs));
    this.#known.set(key, known);
    return known;
  }
}
