// What tests use of core's room "diagnose". A file that moves within src changes its path here alone.
export type { Check } from '../../src/core/diagnose/check';
export { CHECKS } from '../../src/core/diagnose/verdict';
export { followSession } from '../../src/core/diagnose/followSession';
export { GrowingSession, liveVerdict } from '../../src/core/diagnose/growingSession';
export { fixAll } from '../../src/core/diagnose/linkDamage';
export { cleanLine, freshUuid, locateEdits } from '../../src/core/diagnose/locateEdits';
export { planRepair, type RepairPlan } from '../../src/core/diagnose/planRepair';
export { RepairDraft } from '../../src/core/diagnose/repairDraft';
export { scanSession, toldInConversation } from '../../src/core/diagnose/scanSession';
export { sessionTimes } from '../../src/core/diagnose/sessionTimes';
export { diagnose, type Diagnostics, diagnosticsFor } from '../../src/core/diagnose/verdict';
