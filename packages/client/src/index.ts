export type { Audit } from './audit.ts'
export type { BudgetOwner, Budgets } from './budgets.ts'
export type { FollowedEvent } from './customer-events.ts'
export { RunwrightError, type RunwrightErrorDetails } from './error.ts'
export type { Events, PollOptions, RunEventPage, StreamAllOptions, StreamOptions } from './events.ts'
export type { ApiKey, Fetch } from './fetch-layers.ts'
export type { Health } from './health.ts'
export type { Keys } from './keys.ts'
export type { Memory } from './memory.ts'
export { isTerminalEvent, isTerminalStatus, type RunEvent } from './run-event.ts'
export type {
  CreateRunRequest,
  GetRunOptions,
  RepeatableCallOptions,
  RunListQuery,
  Runs,
  WatchRunsOptions,
  WatchRunsQuery,
} from './runs.ts'
export { Runwright, type RunwrightOptions } from './runwright.ts'
export type { CreateScheduleRequest, Schedules, UpdateScheduleRequest } from './schedules.ts'
export type { CallOptions } from './transport.ts'
export type { Usage } from './usage.ts'
export type { Webhooks } from './webhooks.ts'
export type {
  Agent,
  AgentList,
  AuditEntry,
  AuditList,
  AuditQuery,
  AwaitingInput,
  Budget,
  BudgetList,
  BudgetResult,
  CountRunsQuery,
  CreatedRun,
  CreateKey,
  CreateRun,
  CreateSchedule,
  CreateWebhook,
  Delivery,
  DeliveryList,
  DeliveryResult,
  Dependencies,
  EventPayload,
  EventType,
  ForkedFrom,
  ForkRun,
  Key,
  KeyList,
  KeyResult,
  KeyWithSecret,
  ListedRun,
  ListedSchedule,
  MemoryExport,
  MemoryExportQuery,
  MemoryItem,
  MemoryItemQuery,
  MemoryList,
  MemoryListQuery,
  Plan,
  PutBudget,
  ReasonCode,
  RotateKey,
  RotateWebhook,
  Run,
  RunAgent,
  RunCounts,
  RunDetail,
  RunInclude,
  RunInput,
  RunList,
  RunListInclude,
  RunSignal,
  RunStatus,
  RunsPage,
  Schedule,
  ScheduleError,
  ScheduleList,
  ScheduleResult,
  Signal,
  SignalResult,
  Tool,
  ToolExposure,
  ToolList,
  ToolPolicy,
  UpdateSchedule,
  UsageEvent,
  UsageEventPage,
  UsageEventsQuery,
  UsageQuery,
  UsageReport,
  UsageRow,
  Webhook,
  WebhookList,
  WebhookMessage,
  WebhookResult,
  WebhookWithSecret,
} from './wire.ts'
