{{ ticdc.held_messages() }}
