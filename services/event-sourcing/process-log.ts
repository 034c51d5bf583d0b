/** Where a process writes what happens to it: the part of its logger that is used here. Not the event log. */
export interface Log {
  info(details: object, message: string): void
  warn(details: object, message: string): void
  error(details: object, message: string): void
  /** Follows one request through the services; costs nothing where it is not enabled. */
  readonly debug?: (details: object, message: string) => void
  readonly isLevelEnabled?: (level: string) => boolean
}
