import type { Checkpoint } from '../../shared/rewind';
import type { Formats } from '../text/formats';
import type { Translate } from '../text/translate';
import type { Choice, ChoiceGroup } from '../window/dialogs';
import { lineCounts } from './changeText';

/** Prompts that files can be rewound to, those of late first; what cannot be had stands below, with the reason. */
export function checkpointChoices(
  checkpoints: readonly Checkpoint[],
  nowMs: number,
  formats: Formats,
  t: Translate,
): readonly ChoiceGroup<Checkpoint>[] {
  const newestFirst = [...checkpoints].reverse();
  const toChoice = (checkpoint: Checkpoint): Choice<Checkpoint> => {
    const { prompt, timeMs, line, kind, problem, filesChanged } = checkpoint;
    const facts = [
      problem,
      timeMs === null ? null : formats.timeAgo(timeMs, nowMs),
      line === null ? t('not in the transcript any more') : t('line {0}', formats.number(line)),
      kind === 'own' ? t('checkpoint of Rethread') : null,
    ];
    return {
      value: checkpoint,
      label: prompt === '' ? t('Without words') : prompt,
      description: problem === null ? changed(filesChanged.length, checkpoint, formats, t) : '',
      detail: facts.filter((fact) => fact !== null).join(' · '),
      icon: problem !== null ? 'circle-slash' : filesChanged.length === 0 ? 'pass' : 'history',
    };
  };
  return [
    { heading: null, choices: newestFirst.filter(({ problem }) => problem === null).map(toChoice) },
    { heading: t('Not possible'), choices: newestFirst.filter(({ problem }) => problem !== null).map(toChoice) },
  ];
}

function changed(files: number, checkpoint: Checkpoint, formats: Formats, t: Translate): string {
  if (files === 0) return t('nothing would change');
  // Of files without text, or of permissions, there are no lines to count.
  const lines = lineCounts(checkpoint, formats);
  if (lines === '') return files === 1 ? t('1 file') : t('{0} files', formats.number(files));
  return files === 1 ? t('{0} in 1 file', lines) : t('{0} in {1} files', lines, formats.number(files));
}
