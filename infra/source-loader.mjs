// Only from its source does the program need a loader, and Node 20 gives a thread none of its parent's.
import { register } from 'tsx/esm/api'

register()
