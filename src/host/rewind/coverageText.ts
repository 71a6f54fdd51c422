import { COVERAGE_KINDS } from '../../shared/coverageKinds';
import type { CoverageKind, CoverageNote, RewindPlan } from '../../shared/rewind';
import type { Formats } from '../text/formats';
import type { Translate } from '../text/translate';

export interface CoverageGroup {
  readonly kind: CoverageKind;
  readonly notes: readonly CoverageNote[];
}

/** Notes by their kind, those kinds alone of which there are any. */
export function groupCoverage(coverage: readonly CoverageNote[]): readonly CoverageGroup[] {
  return COVERAGE_KINDS.map((kind) => ({ kind, notes: coverage.filter((note) => note.kind === kind) })).filter(
    ({ notes }) => notes.length > 0,
  );
}

/** Files whose copies may not be what they were: they change only if the person says so. */
export function doubtfulPaths({ coverage }: Pick<RewindPlan, 'coverage'>): ReadonlySet<string | null> {
  return new Set(coverage.filter(({ kind }) => kind === 'doubtfulBackup').map(({ path }) => path));
}

/** What is told of coverage in a line or two; null when there is nothing to tell. */
export function coverageSummary(coverage: readonly CoverageNote[], formats: Formats, t: Translate): string | null {
  const countOf = (wanted: CoverageKind): number => coverage.filter(({ kind }) => kind === wanted).length;
  const [byHand, doubtful] = [countOf('byHand'), countOf('doubtfulBackup')];
  const others = groupCoverage(coverage)
    .filter(({ kind }) => kind !== 'byHand' && kind !== 'doubtfulBackup')
    .map(({ kind, notes }) => `${coverageHeading(kind, t)} (${formats.number(notes.length)})`);
  const sentences = [
    byHand === 1 ? t('1 file was changed by hand since: that change goes, too.') : null,
    byHand > 1 ? t('{0} files were changed by hand since: these changes go, too.', formats.number(byHand)) : null,
    doubtful === 1 ? t('1 file gets a copy that may have been altered.') : null,
    doubtful > 1 ? t('{0} files get copies that may have been altered.', formats.number(doubtful)) : null,
    others.length > 0 ? t('Not covered: {0}.', others.join(', ')) : null,
  ].filter((sentence) => sentence !== null);
  return sentences.length === 0 ? null : sentences.join('\n\n');
}

export function coverageHeading(kind: CoverageKind, t: Translate): string {
  switch (kind) {
    case 'command':
      return t('Commands that ran since');
    case 'byHand':
      return t('Changes by hand');
    case 'untracked':
      return t('Changes that nothing is known of');
    case 'missingBackup':
      return t('Backups that are gone');
    case 'alteredBackup':
      return t('Backups that were altered');
    case 'doubtfulBackup':
      return t('Backups that may have been altered');
    case 'laterCopy':
      return t('Backups that an edit came before');
    case 'snapshotCap':
      return t('Checkpoints that are gone');
    case 'outside':
      return t('Files outside the open folders');
    case 'symlink':
      return t('Symbolic links');
    case 'hardLink':
      return t('Hard links');
    case 'notAFile':
      return t('What is no file');
    case 'readOnly':
      return t('Files that cannot be written');
    case 'other':
      return t('Other');
  }
}

/** What it means for the person; null where the notes say it all. */
export function coverageExplanation(kind: CoverageKind, t: Translate): string | null {
  switch (kind) {
    case 'command':
      return t('What a command did to files that Claude did not edit itself stays as it is.');
    case 'byHand':
      return t('These changes go, too. The safety copy keeps them.');
    case 'untracked':
      return t('No checkpoint holds these files, so that they stay as they are.');
    case 'missingBackup':
    case 'alteredBackup':
      return t('What these files held then cannot be told any more, so that they stay as they are.');
    case 'doubtfulBackup':
      return t('These files change only if you choose them.');
    case 'laterCopy':
      return t('These files get such a backup all the same: what the edit did stays.');
    case 'snapshotCap':
      return t('Claude Code keeps the last 100 checkpoints of a session.');
    case 'outside':
      return t('They stay as they are unless you choose them.');
    case 'symlink':
    case 'hardLink':
    case 'notAFile':
    case 'readOnly':
      return t('They stay as they are.');
    case 'other':
      return null;
  }
}
