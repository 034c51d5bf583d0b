import { chooseTimeZone } from '../../time-zone.ts'
import { Button } from '../../ui/button.tsx'
import { useTimeZone } from '../../ui/use-time-zone.ts'

/** Switches all times between UTC and local time; the choice is stored. */
export function TimeZoneSwitch() {
  const zone = useTimeZone()
  const [shown, name] = zone === 'utc' ? ['UTC', 'UTC times. Switch to local time'] : ['Local', 'Local times. Switch to UTC']
  return (
    <Button look="quiet" aria-label={name} title={name} className="px-2! text-12! text-muted!" onClick={() => chooseTimeZone(zone === 'utc' ? 'local' : 'utc')}>
      {shown}
    </Button>
  )
}
