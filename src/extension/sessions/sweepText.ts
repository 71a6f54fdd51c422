import type { Sweep, SweepPeriod } from '../../protocol/channels/alarms';
import type { Translate } from '../text/translate';
import { type Formats, shortenHome } from '../text/formats';

/** When Claude Code would delete a session, and which setting says so: a line of its tooltip. */
export function sweepText(
  { sweptMs, period }: Sweep,
  nowMs: number,
  homeDir: string,
  formats: Formats,
  t: Translate,
): string {
  const when =
    sweptMs <= nowMs
      ? t('Would be deleted by Claude Code when it next cleans up')
      : t('Would be deleted by Claude Code on {0}', formats.date(sweptMs));
  return period === null ? when : t('{0} ({1})', when, periodText(period, homeDir, t));
}

/** What sets the period. */
export function periodText({ days, settingsPath }: SweepPeriod, homeDir: string, t: Translate): string {
  const setting = `cleanupPeriodDays: ${days}`;
  if (settingsPath === null) return t('{0} by default', setting);
  return t('{0} in {1}', setting, shortenHome(settingsPath, homeDir));
}
