import type { ListedPrompt } from '../../protocol/channels/rewindView';
import type { Checkpoint } from '../../protocol/history';
import type { Services } from '../services';
import type { Formats } from '../text/formats';
import type { Translate } from '../text/translate';
import { lineCounts } from './rewindText';

/** The prompts that files can be rewound to, latest first. Impossible ones say why. */
export function listPrompts(
  checkpoints: readonly Checkpoint[],
  { formats, now, t }: Pick<Services, 'formats' | 'now' | 't'>,
): readonly ListedPrompt[] {
  const nowMs = now();
  return [...checkpoints].reverse().map((checkpoint) => {
    const { promptUuid, prompt, timeMs, line, kind, problem } = checkpoint;
    const facts = [
      timeMs === null ? null : formats.timeAgo(timeMs, nowMs),
      problem ?? changesText(checkpoint, formats, t),
      line === null ? t('not in the transcript any more') : null,
      kind === 'own' ? t('checkpoint of Rethread') : null,
    ];
    return {
      promptUuid,
      words: prompt === '' ? t('Without words') : prompt,
      facts: facts.filter((fact) => fact !== null).join(' · '),
      isPossible: problem === null,
    };
  });
}

function changesText(checkpoint: Checkpoint, formats: Formats, t: Translate): string {
  const { length: files } = checkpoint.filesChanged;
  if (files === 0) return t('nothing would change');
  // Binary files and permission changes have no lines to count.
  const lines = lineCounts(checkpoint, formats);
  if (lines === '') return files === 1 ? t('1 file') : t('{0} files', formats.number(files));
  return files === 1 ? t('{0} in 1 file', lines) : t('{0} in {1} files', lines, formats.number(files));
}

/** The prompt to show first if the person has named none: the latest with changes. Null if there are no checkpoints. */
export function latestPrompt(checkpoints: readonly Checkpoint[]): string | null {
  const possible = checkpoints.filter(({ problem }) => problem === null);
  const changing = possible.filter(({ filesChanged }) => filesChanged.length > 0);
  return (changing.at(-1) ?? possible.at(-1) ?? checkpoints.at(-1))?.promptUuid ?? null;
}
