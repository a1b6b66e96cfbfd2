// Limits and defaults of the protocol. No setting changes them.

/** The limit for `input` plus `metadata` of a create, and for a signal's payload, in UTF-8 bytes of JSON. */
export const maxPayloadBytes = 262_144
/** The limit for the plan of a create, in UTF-8 bytes of JSON. */
export const maxPlanBytes = 524_288
/** The largest request body that is accepted. */
export const maxBodyBytes = 4 * 1024 * 1024
/** How deep `input`, `metadata`, `plan` and a signal's payload may nest; the outermost value is level 1. */
export const maxJsonDepth = 64
export const maxLabelLength = 255
export const maxAttachmentRefs = 100
export const maxSensitivityTags = 100
/** Enough for names 64 levels deep, too short for a path that is expensive to parse. */
export const maxTagPathLength = 1_024
/** How many receivers the `allow` of one tag may name. */
export const maxTagReceivers = 20
/** How many values the tags of a run may select, sensitive keys included. */
export const maxTaggedValues = 1_000
/** How many texts a run's secrets may have in all their encodings: a plain word has 4, `Jane Doe` has 6. */
export const maxSecretForms = 4_000
export const maxIdempotencyKeyLength = 255
/** The longest time that a token is valid, in seconds. */
export const maxTokenSeconds = 3_600
/** The longest time that a decision link is valid, in seconds: 30 days. */
export const maxLinkSeconds = 2_592_000
/** The longest text that says how a call failed, from a tool or from a person, in characters. */
export const maxCallErrorLength = 1_000
export const maxPageSize = 200
/** A page of runs with results, or of events, has at most this many bytes, unless it has one row only. */
export const maxPageBytes = 4 * 1024 * 1024
export const defaultEventsPageSize = 100
/** The longest `wait` of a poll for events, in seconds. Shorter than the timeouts of common clients and proxies. */
export const maxEventWaitSeconds = 25
export const defaultListPageSize = 50
export const previewLength = 240
export const maxHighlights = 10
/** The longest name of a webhook, in code points. */
export const maxWebhookNameLength = 100
/** The longest URL of a webhook. */
export const maxWebhookUrlLength = 2_048
/** The longest cron expression, and the longest name of a time zone. */
export const maxCronLength = 255
export const maxTimeZoneLength = 64
export const maxPlanSteps = 200
export const maxStepIdLength = 128
/** The texts of a plan, in characters. The plan as a whole has a limit, too. */
export const maxGoalLength = 10_000
export const maxInstructionLength = 100_000
export const maxPromptLength = 10_000
/** How many roles a key may have, how many a question may name, and the length of a role and of a person's name. */
export const maxRoles = 50
export const maxApproverRoles = 20
export const maxRoleLength = 64
export const maxPersonLength = 255
/** How many people a question may need. */
export const maxApprovals = 20
export const maxEscalationSeconds = 2_592_000
/** How many calls one signal may decide about. */
export const maxAnsweredCalls = 100
/** How many answers a wait takes while others have to decide, too. */
export const maxDecisions = 100
/** How many tools a step may name. */
export const maxStepTools = 1_000
export const defaultMaxAttempts = 3
/** The criteria of a rubric, in characters. */
export const maxRubricLength = 10_000
export const maxScores = 20
export const maxScoreDescriptionLength = 1_000
/** How often a rubric may let the worker revise an answer. */
export const maxRevisions = 10
export const defaultMaxRevisions = 2

/** The health check counts no more queued runs and busy places than one above this. */
export const maxHealthCount = 10_000
