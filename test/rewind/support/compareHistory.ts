import { makeBranchHome } from './branchHome';
import { chainKinds, type PromptPlace } from './chainKinds';
import { compareRewinds, type Compared } from './compareRewinds';
import type { FileTree } from './fileTree';
import type { Place } from './place';
import type { RewindBench } from './useRewindBench';

/**
 * Compares the rewinds to all prompts that Claude would load, and to some on dead branches. For those, a copy of the
 * session continues from there.
 *
 * @param branches number of dead branches to check
 */
export async function compareHistory(
  bench: RewindBench,
  place: Place,
  prompts: readonly string[],
  trees: readonly FileTree[],
  branches: number,
): Promise<Compared> {
  const total: Compared = { rewinds: 0, changes: 0, mistaken: 0, differences: [] };
  const add = ({ rewinds, changes, mistaken, differences }: Compared): void => {
    total.rewinds += rewinds;
    total.changes += changes;
    total.mistaken += mistaken;
    total.differences.push(...differences);
  };
  const kinds = await chainKinds(place, prompts);
  const resume = ['--resume', place.sessionId];
  const client = bench.start(place, resume);
  const resumed = kinds.filter(({ kind }) => kind === 'resumed').map(({ promptUuid }) => promptUuid);
  for (const tree of trees) add(await compareRewinds(place, client, resumed, tree));
  await client.close();
  for (const [leafUuid, named] of [...deadBranches(kinds)].slice(0, branches)) {
    const other = bench.start(place, resume, makeBranchHome(place, leafUuid));
    for (const tree of trees.slice(-1)) add(await compareRewinds(place, other, named, tree));
    await other.close();
  }
  bench.count(total);
  return total;
}

function deadBranches(kinds: readonly PromptPlace[]): ReadonlyMap<string, readonly string[]> {
  const branches = new Map<string, string[]>();
  for (const { promptUuid, kind, leafUuid } of kinds) {
    if (kind !== 'branch' || leafUuid === null) continue;
    const known = branches.get(leafUuid);
    if (known === undefined) branches.set(leafUuid, [promptUuid]);
    else known.push(promptUuid);
  }
  return branches;
}
