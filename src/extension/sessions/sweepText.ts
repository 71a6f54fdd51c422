import type { Sweep, SweepPeriod } from '../../protocol/channels/alarms';
import type { Translate } from '../text/translate';
import { type Formats, shortenHome } from '../text/formats';
import { TOOLTIP_LINE_WIDTH, textWidth } from '../text/textWidth';

/** When Claude Code would delete a session, and which setting says so as far as there is room: a line of its tooltip. */
export function sweepText(
  { sweptMs, period }: Sweep,
  nowMs: number,
  homeDir: string,
  formats: Formats,
  t: Translate,
): string {
  const when =
    sweptMs <= nowMs
      ? t('Claude Code would delete it at its next cleanup')
      : t('Claude Code would delete it on {0}', formats.date(sweptMs));
  if (period === null) return when;
  const all = t('{0} ({1})', when, periodText(period, homeDir, t));
  return textWidth(all) <= TOOLTIP_LINE_WIDTH ? all : t('{0} ({1})', when, settingText(period));
}

/** What sets the period. */
export function periodText({ days, settingsPath }: SweepPeriod, homeDir: string, t: Translate): string {
  const setting = settingText({ days });
  if (settingsPath === null) return t('{0} by default', setting);
  return t('{0} in {1}', setting, shortenHome(settingsPath, homeDir));
}

function settingText({ days }: Pick<SweepPeriod, 'days'>): string {
  return `cleanupPeriodDays: ${days}`;
}
