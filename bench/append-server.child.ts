import { startDouble } from '../test-support/eventstoredb-double/double.ts'
import { inputOf, say, told } from './children.ts'
import { z } from 'zod'

// The double of EventStoreDB in a process of its own, as a server is.
inputOf(z.object({}))
const { url } = await startDouble()
say({ url })
await told()
