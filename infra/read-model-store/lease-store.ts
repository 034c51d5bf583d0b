/** Leases: a name that one owner has for a time. */
export interface LeaseStore {
  /** Takes or renews a lease for `ms`. False while another owner has it. Free at once where the owner's process is known to be gone. */
  acquire(name: string, owner: string, ms: number): Promise<boolean>
  release(name: string, owner: string): Promise<void>
}
