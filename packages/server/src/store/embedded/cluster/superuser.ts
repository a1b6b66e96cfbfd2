// The role that initdb creates, and that the service connects as.
export const SUPERUSER = 'runwright'
