/** The name of the connections that write events. Readers look up what they are doing. */
export const logApplication = 'runwright log'
