// Limits and defaults of the protocol. No setting changes them.

/** The limit for `input` plus `metadata` of a create, and for a signal's payload, in UTF-8 bytes of JSON. */
export const maxPayloadBytes = 262_144
/** The largest request body that is accepted. */
export const maxBodyBytes = 4 * 1024 * 1024
/** How deep `input`, `metadata`, `plan` and a signal's payload may nest; the outermost value is level 1. */
export const maxJsonDepth = 64
export const maxLabelLength = 255
export const maxAttachmentRefs = 100
export const maxSensitivityTags = 100
/** How many receivers the `allow` of one tag may name. */
export const maxTagReceivers = 20
export const maxIdempotencyKeyLength = 255
export const maxPageSize = 200
export const defaultEventsPageSize = 100
export const defaultListPageSize = 50
export const previewLength = 240
export const maxHighlights = 10
export const maxPlanSteps = 200
export const defaultMaxAttempts = 3
