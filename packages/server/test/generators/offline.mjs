// Loaded into each generator: none of them needs the network, and some would report what they do.
import { Socket } from 'node:net'

Socket.prototype.connect = () => {
  throw new Error('The generators must not use the network.')
}
