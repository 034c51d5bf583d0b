import { startDouble } from '../double.ts'

/** The server that probe.mjs and faults.mjs ask; what they need of it stands at the top of faults.mjs. */
export async function start() {
  return { durable: true, ...(await startDouble()) }
}
