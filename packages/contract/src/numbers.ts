// The numbers of the protocol that no setting can change.

/** `input` plus `metadata` of a create, and a signal's payload: UTF-8 bytes of their JSON. */
export const maxPayloadBytes = 262_144
/** The largest request body read at all. */
export const maxBodyBytes = 4 * 1024 * 1024
/** How deep `input`, `metadata`, `plan` and a signal's payload may nest; each is level 1 itself. */
export const maxJsonDepth = 64
export const maxLabelLength = 255
export const maxAttachmentRefs = 100
export const maxSensitivityTags = 100
export const maxIdempotencyKeyLength = 255
export const maxPageSize = 200
export const defaultEventsPageSize = 100
export const defaultListPageSize = 50
export const previewLength = 240
export const maxHighlights = 10
export const maxPlanSteps = 200
export const defaultMaxAttempts = 3
