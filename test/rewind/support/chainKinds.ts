import { type ChainKind, SessionHistory } from '../../rooms/history';
import { loaderRules } from '../../rooms/loader';
import { createFileScanner } from '../../rooms/transcript';
import { createPacer } from '../../rooms/util';
import type { Place } from './place';
import { sessionRefOf } from '../../rooms/format';
import { plainScanner } from '../../support/plainScanner';

export interface PromptPlace {
  readonly promptUuid: string;
  readonly kind: ChainKind;
  /** The last row of the chain. */
  readonly leafUuid: string | null;
}

/** The kind of chain of each prompt: the client knows only the files of prompts that it would load. */
export async function chainKinds(place: Place, prompts: readonly string[]): Promise<readonly PromptPlace[]> {
  const pacer = createPacer(10);
  const scanFile = createFileScanner(plainScanner, pacer);
  const history = await SessionHistory.open(sessionRefOf(place.filePath), scanFile, pacer, loaderRules());
  try {
    return prompts.flatMap((promptUuid): PromptPlace[] => {
      const prompt = history.prompt(promptUuid);
      if (prompt === null) return [];
      const { kind, rows } = history.chains.of(prompt.row);
      const leaf = rows.at(-1) ?? 0;
      // No row leads the client to a branch from before a compaction.
      const isLost = leaf < (history.transcriptIndex.boundaries.at(-1)?.row ?? 0);
      return [{ promptUuid, kind: isLost ? 'compacted' : kind, leafUuid: history.uuid(leaf) }];
    });
  } finally {
    history.close();
  }
}
