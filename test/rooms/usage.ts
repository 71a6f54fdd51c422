// What tests use of core's room "usage". A file that moves within src changes its path here alone.
export { NO_TIME, QUARTER_MS, quarterOf } from '../../src/core/usage/buckets';
export { ConfigDirUsage } from '../../src/core/usage/configDirUsage';
export { countPaths } from '../../src/core/usage/countPaths';
export { addDays, describeReport, describeSpending, LocalDays } from '../../src/core/usage/describeReport';
export { listUsageFiles } from '../../src/core/usage/listUsageFiles';
export { hasLongPrompt, type MessageCounts } from '../../src/core/usage/messageIndex';
export { contextWindow, PriceBook, toUsd } from '../../src/core/usage/prices';
export { SpendingTable } from '../../src/core/usage/spendingTable';
export { ToolCache } from '../../src/core/usage/toolCache';
export { ToolCounter, type ToolCounterDeps } from '../../src/core/usage/toolCounter';
export { UsageCache } from '../../src/core/usage/usageCache';
export { UsageCounter, type UsageCounterDeps } from '../../src/core/usage/usageCounter';
export { readUsage, UsageFollower } from '../../src/core/usage/usageReading';
export { describeOverview, usageCsv, UsageService, type UsageServiceDeps } from '../../src/core/usage/usageService';
export { UsageTable } from '../../src/core/usage/usageTable';
