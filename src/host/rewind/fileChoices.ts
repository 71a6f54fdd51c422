import type { PlannedFile, RewindPlan } from '../../shared/rewind';
import type { Formats } from '../text/formats';
import type { Translate } from '../text/translate';
import type { CheckedChoice, CheckedGroup } from '../window/dialogs';
import { changeText } from './changeText';
import { doubtfulPaths } from './coverageText';
import { plannedChange, sortFiles } from './plannedChange';

/** The files of a rewind, to be checked: all of those that it may change, but none outside, or whose copy is in doubt. */
export function fileChoices(
  plan: Pick<RewindPlan, 'files' | 'coverage'>,
  displayPath: (path: string) => string,
  formats: Formats,
  t: Translate,
): readonly CheckedGroup<PlannedFile>[] {
  const { inside, outside, skipped } = sortFiles(plan);
  const doubted = doubtfulPaths(plan);
  const isDoubtful = ({ path }: PlannedFile): boolean => doubted.has(path);
  const toChoice =
    (isChecked: boolean, isFixed: boolean) =>
    (file: PlannedFile): CheckedChoice<PlannedFile> => ({
      value: file,
      label: displayPath(file.path),
      description: changeText(file, formats, t),
      icon: isFixed ? 'circle-slash' : iconOf(file),
      isChecked,
      isFixed,
    });
  return [
    { heading: null, choices: inside.filter((file) => !isDoubtful(file)).map(toChoice(true, false)) },
    {
      heading: t('With a copy that may have been altered'),
      choices: inside.filter(isDoubtful).map(toChoice(false, false)),
    },
    { heading: t('Outside the open folders'), choices: outside.map(toChoice(false, false)) },
    { heading: t('Left alone'), choices: skipped.map(toChoice(false, true)) },
  ];
}

function iconOf(file: PlannedFile): string {
  switch (plannedChange(file)) {
    case 'create':
      return 'diff-added';
    case 'delete':
      return 'diff-removed';
    case 'restore':
    case null:
      return 'diff-modified';
  }
}
