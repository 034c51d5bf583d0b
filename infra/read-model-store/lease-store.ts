/** Leases: a name that one owner has for a time. */
export interface LeaseStore {
  /**
   * Acquires or renews a lease for `ms`. False while another owner has it. Where it can be known that the owner's
   * process is gone, the lease is free at once.
   *
   * @param owner Begins with '<hostname>:<pid>:'.
   */
  acquire(name: string, owner: string, ms: number): Promise<boolean>
  /** Gives a lease back, if the owner has it. */
  release(name: string, owner: string): Promise<void>
}
