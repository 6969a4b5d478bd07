package org.mqproof.cluster.network;

/**
 * From one place in the network to another: from 1 the nodes, 0 the clients.
 *
 * @param from where packets come from
 * @param to where they go
 */
record Way(int from, int to) {}
